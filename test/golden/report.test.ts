import { expect, it } from 'vitest';
import { reportText } from '../../main/cli/report-text.ts';
import { createEngine } from '../../main/engine/index.ts';

/**
 * A capture and the text it becomes. When something changes, the difference shows what it means; take it over with
 * `npx vitest run --config test/vitest.config.ts --project golden --update`.
 */
it.each(['training-step', 'expandable-segments', 'out-of-memory'])('reports the sample %s', async (name) => {
  const engine = createEngine();
  const { trace } = await engine.call('open', { source: { kind: 'sample', name } });
  const text = reportText(await engine.call('report', { trace }));
  await engine.call('close', { trace });
  await expect(text).toMatchFileSnapshot(`report-${name}.txt`);
});
