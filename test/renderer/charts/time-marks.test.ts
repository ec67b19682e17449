import { describe, expect, it } from 'vitest';
import type { AnnotationInfo, Marker } from '../../../app/contract/engine.ts';
import { prepareAnnotations, prepareMarkers } from '../../../renderer/charts/time-marks.ts';

const range = { from: 0, to: 1000 };

function annotation(name: string, begin: number, end: number, depth = 0): AnnotationInfo {
  return { name, begin, end, beginEvent: begin, endEvent: end, depth, hasBegin: true, hasEnd: true };
}

describe('annotations', () => {
  it('keep their rows and their widths', () => {
    const marks = prepareAnnotations(
      [annotation('step', 100, 900), annotation('forward', 100, 400, 1)],
      'time',
      range,
      1000,
    );
    expect(marks.map((mark) => [mark.first.name, mark.depth, mark.x, mark.width])).toEqual([
      ['step', 0, 100, 800],
      ['forward', 1, 100, 300],
    ]);
  });

  it('count what is too narrow to tell apart, and lose nothing', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      annotation(`step ${index}`, index * 2, index * 2 + 1),
    );
    const marks = prepareAnnotations(many, 'time', range, 400);
    expect(marks.reduce((sum, mark) => sum + mark.count, 0)).toBe(500);
    expect(marks.length).toBeLessThan(10);
  });

  it('end at the edges of the window', () => {
    const [mark] = prepareAnnotations([annotation('step', -500, 5000)], 'time', range, 1000);
    expect(mark).toMatchObject({ x: -1, width: 1002 });
    expect(prepareAnnotations([annotation('step', 2000, 3000)], 'time', range, 1000)).toEqual([]);
  });
});

describe('markers', () => {
  const marker = (kind: Marker['kind'], event: number): Marker => ({
    kind,
    event,
    time: event,
    bytes: 1,
    count: 1,
  });

  it('share a glyph when they would cover each other', () => {
    const marks = prepareMarkers(
      [marker('flush', 100), marker('flush', 104), marker('flush', 300)],
      'time',
      range,
      1000,
    );
    expect(marks.map((mark) => [mark.x, mark.markers.length])).toEqual([
      [100, 2],
      [300, 1],
    ]);
  });

  it('draw failures last, so that nothing covers them', () => {
    const marks = prepareMarkers([marker('failure', 5), marker('peak', 5)], 'event', range, 1000);
    expect(marks.map((mark) => mark.kind)).toEqual(['peak', 'failure']);
  });
});
