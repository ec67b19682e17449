import { describe, expect, it } from 'vitest';
import {
  type LaneChoice,
  laneId,
  lanesOf,
  layoutLanes,
} from '../../../../renderer/views/timeline/lane-layout.ts';

const choice: LaneChoice = {
  mode: 'region',
  used: ['immediate', 'pooled'],
  busiest: 'pooled',
  isBounded: false,
  layout: 'segments',
  annotationRows: 1,
};

describe('the lanes', () => {
  it('begin with the busiest region and its free space, and fold what is not used', () => {
    expect(lanesOf(choice).map(laneId)).toEqual([
      'markers',
      'annotations',
      'region-pooled',
      'free-pooled',
      'region-immediate',
      'unused-virtual',
      'live',
    ]);
  });

  it('show bounds instead of totals where a capture is cut off', () => {
    const lanes = lanesOf({ ...choice, mode: 'total', isBounded: true, annotationRows: 0 });
    expect(lanes.map(laneId)).toEqual(['markers', 'bounds-reserved', 'bounds-active', 'live']);
  });

  it('fill the room without gaps', () => {
    const lanes = layoutLanes(lanesOf(choice), new Set(), 720, 1);
    const end = lanes.reduce((top, lane) => {
      expect(lane.top).toBe(top);
      return top + lane.height;
    }, 0);
    expect(Math.abs(end - 720)).toBeLessThanOrEqual(4);
  });

  it('never get lower than can be read: what does not fit scrolls', () => {
    const lanes = layoutLanes(lanesOf(choice), new Set(), 200, 1);
    expect(Math.min(...lanes.map((lane) => lane.height))).toBeGreaterThanOrEqual(28);
    expect(lanes.find((lane) => lane.id === 'region-pooled')?.height).toBe(120);
    expect(lanes.reduce((sum, lane) => sum + lane.height, 0)).toBeGreaterThan(200);
  });

  it('give the room of a folded lane to the others', () => {
    const open = layoutLanes(lanesOf(choice), new Set(), 720, 1);
    const folded = layoutLanes(lanesOf(choice), new Set(['region-pooled']), 720, 1);
    expect(folded.find((lane) => lane.id === 'region-pooled')).toMatchObject({ height: 28, isFolded: true });
    const live = (lanes: typeof open) => lanes.find((lane) => lane.id === 'live')?.height ?? 0;
    expect(live(folded)).toBeGreaterThan(live(open));
  });

  it('make deep annotations lower instead of many', () => {
    const lanes = layoutLanes(lanesOf({ ...choice, annotationRows: 10 }), new Set(), 900, 1);
    expect(lanes.find((lane) => lane.id === 'annotations')?.height).toBeLessThanOrEqual(88);
  });
});
