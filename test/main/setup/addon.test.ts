import { afterEach, describe, expect, it, vi } from 'vitest';
import { findCompiler } from '../../../main/setup/addon.mjs';

afterEach(() => vi.unstubAllEnvs());

describe('the C++ compiler', () => {
  it('is the first of the usual ones', async () => {
    vi.stubEnv('CXX', '');
    expect(await findCompiler()).toMatch(/(c\+\+|g\+\+|clang\+\+)$/);
  });

  it('is asked for in a sentence where there is none', async () => {
    vi.stubEnv('CXX', '');
    vi.stubEnv('PATH', '/nowhere');
    await expect(findCompiler()).rejects.toMatchObject({
      name: 'Problem',
      message: expect.stringMatching(
        /^There is no C\+\+ compiler: install .+, then run the command again\.$/,
      ),
    });
  });

  it('is asked for by name where CXX names one that is not there', async () => {
    vi.stubEnv('CXX', 'c++-from-nowhere');
    await expect(findCompiler()).rejects.toThrow(
      'The C++ compiler "c++-from-nowhere" that CXX names is not there',
    );
  });

  it('is refused where it does not know C++20', async () => {
    vi.stubEnv('CXX', '/bin/false');
    await expect(findCompiler()).rejects.toThrow('/bin/false cannot compile C++20');
  });
});
