/**
 * Which files belong to one run, and which rank each is, as far as their names tell. Programs name them in many ways:
 * `rank3.pickle`, `snap_r3.pickle`, `trace.3.json`, `device_3_memory.json`, `node1_rank12.pt.trace.json.gz`.
 */

/** A number in a name that is said to be a rank, the surest first. */
const RANK_WORDS: readonly RegExp[] = [
  /(?:^|[^a-z])rank[-_. ]?(\d{1,6})/i,
  /(?:^|[-_. ])r(\d{1,6})(?=[-_. ]|$)/i,
  /(?:^|[^a-z])(?:worker|device|gpu|cuda|npu|xpu)[-_. ]?(\d{1,6})/i,
];

/** Numbers behind these words count something else than ranks. */
const NO_RANK = /(?:step|steps|epoch|iter|iteration|version|v)[-_. ]?$/i;

const MOST_DIGITS = 6;

export function rankOfName(name: string): number | null {
  for (const pattern of RANK_WORDS) {
    const found = pattern.exec(name)?.[1];
    if (found !== undefined) return Number(found);
  }
  return null;
}

/** A name cut at its numbers: `trace.3.json` is the texts "trace." and ".json" and the number "3". */
function cut(name: string): { readonly texts: readonly string[]; readonly numbers: readonly string[] } {
  return { texts: name.split(/\d+/), numbers: name.match(/\d+/g) ?? [] };
}

/** The name with one of its numbers left out, and that number; for each number that may be a rank. */
function openings(name: string): { readonly frame: string; readonly number: number }[] {
  const { texts, numbers } = cut(name);
  return numbers.flatMap((digits, at) => {
    if (digits.length > MOST_DIGITS || NO_RANK.test(texts[at] ?? '')) return [];
    const before = texts.slice(0, at + 1).map((text, i) => text + (i < at ? numbers[i] : ''));
    const after = texts.slice(at + 1).map((text, i) => text + (numbers[at + 1 + i] ?? ''));
    return [{ frame: `${before.join('')}\0${after.join('')}`, number: Number(digits) }];
  });
}

/** What is the same in the names of one run's files. */
function framesOf(name: string): readonly string[] {
  const own = openings(name).map(({ frame }) => frame);
  // where a rank is named as one, the other numbers may differ too: nodes, processes, times
  return rankOfName(name) === null ? own : [...own, `ranks of ${cut(name).texts.join('\0')}`];
}

/**
 * Puts names that differ only in one number together, or in any numbers where each names its rank; all others stand
 * alone. Answers groups of positions, in the order of their first name; a group is sorted by rank.
 */
export function groupRanks(names: readonly string[]): readonly (readonly number[])[] {
  const byFrame = new Map<string, number[]>();
  names.forEach((name, at) => {
    for (const frame of framesOf(name)) byFrame.set(frame, [...(byFrame.get(frame) ?? []), at]);
  });
  const largest = [...byFrame.values()].sort((one, other) => other.length - one.length);
  const groupOf = new Map<number, readonly number[]>();
  for (const group of largest) {
    const free = group.filter((at) => !groupOf.has(at));
    if (free.length < 2) continue;
    const ranks = ranksOf(free.map((at) => ({ name: names[at] as string, stated: null })));
    const ordered = free
      .map((at, i) => ({ at, rank: ranks[i] ?? 0 }))
      .sort((one, other) => one.rank - other.rank || one.at - other.at)
      .map(({ at }) => at);
    for (const at of free) groupOf.set(at, ordered);
  }
  const groups = names.map((_, at) => groupOf.get(at) ?? [at]);
  return groups.filter((group, at) => groups.indexOf(group) === at);
}

/** The rank of each file of a set: what the file itself states, what its name says, or the one number that differs. */
export function ranksOf(
  files: readonly { readonly name: string; readonly stated: number | null }[],
): readonly (number | null)[] {
  const told = files.map(({ name, stated }) => stated ?? rankOfName(name));
  const silent = files.flatMap((file, at) => (told[at] === null ? [openings(file.name)] : []));
  if (silent.length < 2) return told;
  const shared = silent[0]?.find(({ frame }) =>
    silent.every((one) => one.some((opening) => opening.frame === frame)),
  );
  if (shared === undefined) return told;
  return told.map(
    (rank, at) =>
      rank ??
      openings((files[at] as { name: string }).name).find(({ frame }) => frame === shared.frame)?.number ??
      null,
  );
}

/** How many folders above a file may be needed to tell it from another one. */
const MOST_FOLDERS = 3;

/**
 * Names for files that are shown side by side: their own, with as many folders as it takes to tell all of them apart
 * ("rank0/snapshot.pickle"), and where even that does not, a number.
 */
export function distinctNames(paths: readonly string[]): readonly string[] {
  const steps = paths.map((path) => path.split(/[\\/]/).filter((step) => step !== ''));
  for (let folders = 0; folders <= MOST_FOLDERS; folders++) {
    const names = steps.map((own) => own.slice(-1 - folders).join('/'));
    if (new Set(names).size === names.length) return names;
  }
  const seen = new Map<string, number>();
  return steps.map((own) => {
    const name = own.at(-1) ?? '';
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/** The name of a set where one line must do: its first file, and the second or how many more. */
export function setName(names: readonly string[]): string {
  const [first = '', second] = names;
  if (second === undefined) return first;
  const more = names.length - 2;
  return more === 0 ? `${first} + ${second}` : `${first} + ${names.length - 1}`;
}
