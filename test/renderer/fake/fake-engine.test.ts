import { describe, expect, it } from 'vitest';
import { REGIONS } from '../../../app/contract/engine.ts';
import { FAKE_TRACES, FakeEngine } from './fake-engine.ts';

describe('the made-up engine', () => {
  for (const name of Object.keys(FAKE_TRACES)) {
    it(`answers consistently about ${name}`, async () => {
      const engine = new FakeEngine();
      const info = await engine.call('open', { source: { kind: 'path', path: `/captures/${name}.pickle` } });
      for (let device = 0; device < info.devices.length; device++) {
        const last = (info.devices[device]?.events ?? 0) - 1;
        const moment = await engine.call('moment', { trace: info.trace, device, event: last });
        for (const region of REGIONS) {
          const numbers = moment.regions[region];
          expect(numbers.reserved - numbers.active).toBe(numbers.free);
          expect(numbers.cachedWhole + numbers.stranded).toBe(numbers.free);
          expect(numbers.holeClasses.reduce((sum, one) => sum + one.bytes, 0)).toBe(numbers.free);
        }
        const state = await engine.call('state', { trace: info.trace, device, event: last });
        expect(state.blockBytes.reduce((sum, bytes) => sum + bytes, 0)).toBe(moment.total.active);
        const window = { axis: 'event' as const, from: 0, to: Math.max(1, last + 1), columns: 50 };
        const series = await engine.call('series', { trace: info.trace, device, window });
        const peak = info.devices[device];
        if (peak !== undefined && peak.peakReservedEvent >= 0) {
          expect(Math.max(...series.total.reserved.max)).toBe(peak.peakReserved);
        }
        const report = await engine.call('report', { trace: info.trace });
        expect(report.devices[device]?.peak.reserved.bytes).toBe(peak?.peakReserved);
      }
    });
  }
});
