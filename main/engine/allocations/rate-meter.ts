const WINDOW_MS = 2000;
const STEP_MS = 100;

/** How fast a count grows, over the last two seconds. */
export class RateMeter {
  readonly #steps: { at: number; count: number }[] = [];

  add(at: number, count: number): void {
    const last = this.#steps.at(-1);
    if (last !== undefined && at - last.at < STEP_MS && this.#steps.length > 1) last.count = count;
    else this.#steps.push({ at, count });
    while (this.#steps.length > 2 && at - (this.#steps[1] as { at: number }).at > WINDOW_MS) {
      this.#steps.shift();
    }
  }

  perSecond(now: number): number {
    const first = this.#steps.find((step) => now - step.at <= WINDOW_MS);
    const last = this.#steps.at(-1);
    if (first === undefined || last === undefined || first === last) return 0;
    return (1000 * (last.count - first.count)) / Math.max(STEP_MS, now - first.at);
  }
}
