import { describe, expect, it } from 'vitest';
import { resolveTheme } from '../../../renderer/design/theme.ts';
import { resolveLanguage } from '../../../renderer/i18n/i18n.ts';

describe('the language of the system', () => {
  it('is the first that is known', () => {
    expect(resolveLanguage('system', ['fr-FR', 'zh-TW', 'en'])).toBe('zh-CN');
    expect(resolveLanguage('system', ['en-GB', 'zh-CN'])).toBe('en');
    expect(resolveLanguage('system', ['fr'])).toBe('en');
  });

  it('gives way to a choice', () => {
    expect(resolveLanguage('zh-CN', ['en'])).toBe('zh-CN');
  });
});

describe('the theme of the system', () => {
  it('is contrast where the system asks for it, then dark or light', () => {
    expect(resolveTheme('system', true, true)).toBe('contrast');
    expect(resolveTheme('system', true, false)).toBe('dark');
    expect(resolveTheme('system', false, false)).toBe('light');
    expect(resolveTheme('light', true, true)).toBe('light');
  });
});
