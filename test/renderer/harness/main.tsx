import type { ChosenFile, Platform, PlatformEvents } from '../../../renderer/engine/platform.ts';
import { startPage } from '../../../renderer/start-page.tsx';
import { FakeEngine } from '../fake/fake-engine.ts';

/**
 * The real page over made-up traces. `?open=damaged,two-devices` opens some, `?pause=200` makes opening slow;
 * `window.harness` drives what only a platform can do.
 */
const parameters = new URLSearchParams(location.search);
const engine = new FakeEngine(Number(parameters.get('pause') ?? 0));
const names = parameters.get('open')?.split(',') ?? [];
let events: PlatformEvents | null = null;

function fileNamed(name: string): ChosenFile {
  const path = `/captures/${name}.pickle`;
  return { name: `${name}.pickle`, bytes: 3_251_313, source: async () => ({ kind: 'path', path }) };
}

const platform: Platform = {
  kind: 'browser',
  engine: { call: (method, args, options) => engine.call(method, args, options) },
  isMac: false,
  pickFiles: async () => [fileNamed('training-step')],
  fromDrop: (file) => fileNamed(file.name.replace(/\.\w+$/, '')),
  fromDroppedFolder: null,
  setLanguage: () => {},
  reconnect: () => events?.onConnection(true),
  start: (given) => {
    events = given;
    harness.open(...names.splice(0));
  },
};

const harness = {
  open: (...names: string[]) => events?.onOpenRequest(names.map(fileNamed)),
  restart: () => events?.onEngineRestarted(),
  disconnect: () => events?.onConnection(false),
};
declare global {
  interface Window {
    harness: typeof harness;
  }
}
window.harness = harness;

await startPage(platform);
