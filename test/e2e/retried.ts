import type { TestCase } from 'vitest/node';

/** A reporter of the tests that passed only when they were tried again, so that a race is seen and not hidden. */
export default class Retried {
  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky) console.log(`passed only when tried again: ${test.fullName}`);
  }
}
