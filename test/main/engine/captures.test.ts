import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../main/engine/index.ts';

/** Real captures lie beside the repository where it is developed; they are not ours to publish. */
const captures = new URL('../../../../shared/captures/pytorch/', import.meta.url);

interface Facts {
  readonly file: string;
  readonly devices: readonly {
    readonly ordinal: number;
    readonly events: number;
    readonly segments_final: number;
    readonly final: Readonly<Record<string, number>>;
    readonly alloc_events?: number;
    readonly placements_ok?: number;
    readonly peak?: Readonly<Record<string, { readonly bytes: number; readonly event: number }>>;
  }[];
}

const isThere = existsSync(new URL('facts.json', captures));
if (!isThere) console.log('skipped: there are no real captures beside the repository');
const facts = isThere ? (JSON.parse(readFileSync(new URL('facts.json', captures), 'utf8')) as Facts[]) : [];

describe.skipIf(!isThere)('the report of a real capture', () => {
  it.each(facts.map((fact) => [fact.file, fact] as const))(
    '%s says what is known of it',
    async (file, fact) => {
      const engine = createEngine();
      const path = fileURLToPath(new URL(file, captures));
      const { trace } = await engine.call('open', { source: { kind: 'path', path } });
      const report = await engine.call('report', { trace });
      await engine.call('close', { trace });
      expect(report).toMatchObject({ schema: 'strata.report/1', format: 'pytorch-snapshot', complete: true });
      for (const expected of fact.devices) {
        const device = report.devices.find((one) => one.ordinal === expected.ordinal);
        expect(device).toMatchObject({
          events: expected.events,
          segments: expected.segments_final,
          final: expected.final,
          ...(expected.alloc_events === undefined ? {} : { allocations: expected.alloc_events }),
          ...(expected.peak === undefined ? {} : { peak: expected.peak }),
        });
        // The facts count placements only where the allocator's rules are known.
        if (expected.placements_ok === undefined || expected.events === 0) continue;
        expect(device?.exact).toMatchObject({
          verdict: 'exact',
          placements: expected.placements_ok,
          placements_matched: expected.placements_ok,
          first_mismatch: null,
        });
      }
    },
  );
});
