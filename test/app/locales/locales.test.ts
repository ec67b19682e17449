import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import english from '../../../app/locales/en.json';
import chinese from '../../../app/locales/zh-CN.json';

const root = path.resolve(import.meta.dirname, '../../..');

/** The engine writes English itself; only other languages say its errors by code. */
const ONLY_TRANSLATED = /^errors\./;
/** Chinese has no plural: `_other` stands for all. */
const PLURAL = /_(zero|one|other)$/;

function flatten(value: unknown, prefix = ''): Map<string, string> {
  const flat = new Map<string, string>();
  for (const [key, one] of Object.entries(value as Record<string, unknown>)) {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    if (typeof one === 'string') flat.set(name, one);
    else for (const [inner, text] of flatten(one, name)) flat.set(inner, text);
  }
  return flat;
}

const en = flatten(english);
const zh = flatten(chinese);
const withoutPlural = (key: string) => key.replace(PLURAL, '');
const keysOf = (flat: Map<string, string>) =>
  new Set([...flat.keys()].filter((key) => !ONLY_TRANSLATED.test(key)).map(withoutPlural));

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'));
}

describe('the messages', () => {
  it('have the same keys in both languages', () => {
    expect([...keysOf(zh)].sort()).toEqual([...keysOf(en)].sort());
  });

  it('have one form for every count in Chinese, and one and other in English', () => {
    for (const key of en.keys()) {
      if (/_one$/.test(key)) expect(en.has(key.replace(/_one$/, '_other')), key).toBe(true);
    }
    for (const key of zh.keys()) expect(key).not.toMatch(/_one$/);
  });

  it('fill the same places in both languages', () => {
    const places = (text: string) =>
      [...text.matchAll(/{{(\w+)[^}]*}}|<\/?(\w+)>/g)].map((match) => match[1] ?? match[2]);
    for (const [key, text] of zh) {
      const one = en.get(key) ?? en.get(`${withoutPlural(key)}_other`);
      if (one === undefined || PLURAL.test(key)) continue;
      expect(places(text).sort(), key).toEqual(places(one).sort());
    }
  });

  it('use full-width punctuation and a space between Han and Latin in Chinese', () => {
    for (const [key, text] of zh) {
      if (/[Cc]ode$|formula|gesture/.test(key)) continue;
      const plain = text.replace(/{{[^}]*}}|<[^>]*>/g, '');
      expect(plain, key).not.toMatch(/[\u4e00-\u9fff][,;:!?.](\s|$)/);
      expect(plain, key).not.toMatch(/[\u4e00-\u9fff][A-Za-z]|[A-Za-z][\u4e00-\u9fff]/);
    }
  });

  it('do not plead, exclaim or shout', () => {
    for (const [key, text] of en) expect(text, key).not.toMatch(/!|\bplease\b|\boops\b/i);
  });

  it('leave "1 events" to a plural where a capture of one event can bring it up', () => {
    const messages = [...en].filter(([key]) => /^(banner|missing)\./.test(key));
    for (const [key, text] of messages) expect(text, key).not.toContain('{{events}} events');
  });

  it('are all said somewhere', () => {
    const code = [...sources('renderer'), ...sources('main')].join('\n');
    const literal = new Set([...code.matchAll(/['"`]([\w.-]+)['"`]/g)].map((match) => match[1]));
    const patterns = [...code.matchAll(/`([\w.-]*(?:\$\{[^}`]*\}[\w.-]*)+)`/g)].flatMap(
      ([, template = '']) => {
        const parts = template.split(/\$\{[^}]*\}/).map((part) => part.replaceAll('.', '\\.'));
        const isKey = parts.some((part) => part.length > 2);
        return isKey ? [new RegExp(`^${parts.join('[\\w.-]*')}$`)] : [];
      },
    );
    /** The shell takes the words of its menu as members of one object, and so does the command line its help. */
    const isMember = (key: string) =>
      (key.startsWith('menu.') && code.includes(key.replace('menu', ''))) ||
      (key.startsWith('record.cli.') && code.includes(key.replace('record', 'words')));
    const isSaid = (key: string) => {
      if (isMember(key)) return true;
      const names = [key, key.split('.').slice(1).join('.')];
      return names.some((name) => literal.has(name) || patterns.some((pattern) => pattern.test(name)));
    };
    expect([...keysOf(en)].filter((key) => !isSaid(key))).toEqual([]);
  });
});
