import { describe, expect, it } from 'vitest';
import { visibleText } from '../../../app/domain/visible-text.ts';
import { errorText } from '../../../main/cli/error-text.ts';

describe('a line for the terminal', () => {
  it('shows escape sequences, line breaks and marks of direction as their codes', () => {
    expect(visibleText('\u001b[31mred\u202etxt\nforged\u009b2J')).toBe(
      '\\u001b[31mred\\u202etxt\\u000aforged\\u009b2J',
    );
  });

  it('shows signs that take no room', () => {
    expect(visibleText('a\u200bd\u00admin\u2060\ufeff\u{e0041}')).toBe(
      'a\\u200bd\\u00admin\\u2060\\ufeff\\u{e0041}',
    );
  });

  it('keeps letters of every script', () => {
    expect(visibleText('  模型.py:3 naïve 😀 (12 B)')).toBe('  模型.py:3 naïve 😀 (12 B)');
  });

  it('cannot be forged by the name of a file', () => {
    const error = { code: 'file-empty', message: 'Empty.', remedy: '', position: null };
    expect(errorText(error, 'a\nb.pickle')).toBe('strata: Empty.\n  in a\\u000ab.pickle\n  (file-empty)\n');
  });
});
