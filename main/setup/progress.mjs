/** One line for each step of the set-up: what is done, then how long it took. */
export class Progress {
  #stream;

  /** @param {NodeJS.WritableStream} stream standard output, or standard error where output is data */
  constructor(stream) {
    this.#stream = stream;
  }

  /** @param {string} sentence */
  say(sentence) {
    this.#stream.write(`${sentence}\n`);
  }

  /**
   * @template Result
   * @param {string} what e.g. "Building the pages"
   * @param {() => Promise<Result>} work
   * @returns {Promise<Result>}
   */
  async step(what, work) {
    this.#stream.write(`${what} … `);
    const start = performance.now();
    try {
      const result = await work();
      this.#stream.write(`${seconds(start)}\n`);
      return result;
    } catch (error) {
      this.#stream.write('failed\n');
      throw error;
    }
  }
}

/** @param {number} start a time of performance.now() */
export const seconds = (start) => `${((performance.now() - start) / 1000).toFixed(1)} s`;
