import { RECORD_GUIDES, RECORD_NAMES, type RecordGuide, type RecordGuideId } from '../../app/help/record.ts';
import english from '../../app/locales/en.json';
import chinese from '../../app/locales/zh-CN.json';
import { engineError } from '../engine/index.ts';
import type { Terminal } from './terminal.ts';

type Words = (typeof english)['record'];

/** What "strata help record" may be asked for: the id, and what people call it. */
function namesOf(id: RecordGuideId): readonly string[] {
  return [id.toLowerCase(), ...RECORD_NAMES[id]];
}

/** In the language of the terminal, as LC_ALL, LC_MESSAGES or LANG says. */
function wordsOf(env: NodeJS.ProcessEnv): Words {
  const language = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '';
  return /^zh/i.test(language) ? chinese.record : english.record;
}

/** `strata help record [NAME]`: the page "How to record" as text. Errors: "no-such-guide". */
export async function recordHelp(name: string | undefined, terminal: Terminal): Promise<void> {
  const words = wordsOf(process.env);
  if (name === undefined) {
    await terminal.write(list(words));
    return;
  }
  const wanted = name.toLowerCase();
  const found = RECORD_GUIDES.find(({ id }) => namesOf(id).includes(wanted));
  if (found === undefined) {
    const names = RECORD_GUIDES.map(({ id }) => namesOf(id)[0]).join(', ');
    const said = words.cli.unknown.replace('{{name}}', name).replace('{{names}}', names);
    throw engineError('no-such-guide', said);
  }
  await terminal.write(guideText(found, words));
}

function list(words: Words): string {
  const rows = RECORD_GUIDES.map(({ id }) => `  ${id.toLowerCase().padEnd(12)}${words.guides[id].name}`);
  return `${words.cli.which}\n\n${rows.join('\n')}\n`;
}

const WIDTH = 100;

export function guideText({ id, steps }: RecordGuide, words: Words): string {
  const guide = words.guides[id];
  const parts = (['file', 'sees', 'lacks', 'costs', 'since'] as const).map(
    (part) => `${words.part[part]}:\n${wrapped(guide[part], '  ')}`,
  );
  const commands = steps.map((step) => `${words.steps[step.id]}:\n\n${step.code.replace(/^/gm, '    ')}\n`);
  return `${guide.name}\n${wrapped(guide.for, '')}\n\n${commands.join('\n')}\n${parts.join('\n')}\n`;
}

/** Lines of at most so many columns; a text without blanks, as Chinese is, is left to the terminal. */
function wrapped(text: string, indent: string): string {
  const rows: string[] = [];
  let row = '';
  for (const word of text.split(' ')) {
    if (row !== '' && indent.length + row.length + word.length + 1 > WIDTH) {
      rows.push(indent + row);
      row = word;
    } else {
      row = row === '' ? word : `${row} ${word}`;
    }
  }
  return [...rows, indent + row].join('\n');
}
