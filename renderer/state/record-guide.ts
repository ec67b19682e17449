import { create } from 'zustand';
import type { RecordGuideId } from '../../app/help/record.ts';
import { useStore } from './store.ts';

/** Which guide the page "How to record" shows; it is there again when one comes back. */
export const useRecordGuide = create<{ readonly guide: RecordGuideId }>()(() => ({ guide: 'pytorch' }));

export function showRecordGuide(guide: RecordGuideId): void {
  useRecordGuide.setState({ guide });
}

/** Opens the page, from a place that knows what would help. */
export function openRecordGuide(guide: RecordGuideId): void {
  showRecordGuide(guide);
  useStore.getState().openTool('record');
}
