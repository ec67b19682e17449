/** Something the person in front of the terminal can mend: printed as a sentence, without a stack trace. */
export class Problem extends Error {
  /**
   * @param {string} sentence what is wrong and what to do
   * @param {string} [details] what the failing tool printed
   */
  constructor(sentence, details = '') {
    super(details === '' ? sentence : `${sentence}\n${details.trimEnd()}`);
    this.name = 'Problem';
  }
}
