import type { IpcMain, IpcMainEvent, IpcMainInvokeEvent, WebContents } from 'electron';
import * as v from 'valibot';
import { type CallOutcome, MENU_LANGUAGES, type MenuLanguage } from '../../app/contract/bridge.ts';
import { type Args, type Engine, type MethodName, methods } from '../../app/contract/engine.ts';
import { EngineError, type EngineErrorData } from '../../app/contract/error.ts';
import { CHANNELS } from './channels.ts';
import { ORIGIN } from './origin.ts';

export interface IpcHandlers {
  readonly engine: Engine;
  /** Shows the open dialog. */
  pickFiles(): Promise<readonly string[]>;
  /** The page listens for captures to open from now on. */
  onListening(): void;
  onLanguage(language: MenuLanguage): void;
}

const callId = v.pipe(v.number(), v.integer(), v.minValue(0));
const methodName = v.picklist(Object.keys(methods) as MethodName[]);

/** Everything the page may ask of main; whatever does not come from our own page is refused before it is read. */
export function registerIpc(ipcMain: Pick<IpcMain, 'handle' | 'on'>, handlers: IpcHandlers): void {
  const calls = new PageCalls(handlers.engine);
  ipcMain.handle(CHANNELS.call, (event, id: unknown, method: unknown, args: unknown) => {
    requireOwnPage(event);
    return calls.call(event.sender, id, method, args);
  });
  ipcMain.handle(CHANNELS.pickFiles, (event) => {
    requireOwnPage(event);
    return handlers.pickFiles();
  });
  ipcMain.on(CHANNELS.cancel, (event, id: unknown) => {
    if (isFromOwnPage(event)) calls.cancel(id);
  });
  ipcMain.on(CHANNELS.listening, (event) => {
    if (isFromOwnPage(event)) handlers.onListening();
  });
  ipcMain.on(CHANNELS.language, (event, language: unknown) => {
    if (isFromOwnPage(event) && v.is(v.picklist(MENU_LANGUAGES), language)) handlers.onLanguage(language);
  });
}

/** The calls under way of the one page; a page that is loaded anew leaves none behind. */
class PageCalls {
  readonly #engine: Engine;
  readonly #running = new Map<number, AbortController>();
  readonly #watched = new WeakSet<WebContents>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async call(page: WebContents, id: unknown, method: unknown, args: unknown): Promise<CallOutcome> {
    if (!v.is(methodName, method)) return refused('unknown-method', `There is no method ${quoted(method)}.`);
    if (!v.is(callId, id) || this.#running.has(id))
      return refused('invalid-call', 'This call has no number of its own.');
    const parsed = v.safeParse(methods[method], args);
    if (!parsed.success) return refused('invalid-arguments', `${method}: ${parsed.issues[0].message}`);
    this.#watch(page);
    return this.#run(page, id, method, parsed.output as Args<typeof method>);
  }

  cancel(id: unknown): void {
    if (v.is(callId, id)) this.#running.get(id)?.abort();
  }

  async #run<M extends MethodName>(
    page: WebContents,
    id: number,
    method: M,
    args: Args<M>,
  ): Promise<CallOutcome> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const result = await this.#engine.call(method, args, {
        signal: controller.signal,
        onProgress: (progress) => {
          if (!page.isDestroyed()) page.send(CHANNELS.progress, id, progress);
        },
      });
      return { ok: true, result };
    } catch (error) {
      return { ok: false, error: asData(error) };
    } finally {
      if (this.#running.get(id) === controller) this.#running.delete(id);
    }
  }

  #watch(page: WebContents): void {
    if (this.#watched.has(page)) return;
    this.#watched.add(page);
    const abandon = () => {
      for (const controller of this.#running.values()) controller.abort();
      this.#running.clear();
    };
    page.on('did-start-navigation', (details) => {
      if (details.isMainFrame && !details.isSameDocument) abandon();
    });
    page.on('destroyed', abandon);
  }
}

type SenderEvent = Pick<IpcMainEvent | IpcMainInvokeEvent, 'senderFrame'>;

/** Our own origin, and the page itself: a frame inside it may not ask either. */
function isFromOwnPage({ senderFrame }: SenderEvent): boolean {
  return senderFrame !== null && senderFrame.origin === ORIGIN && senderFrame.parent === null;
}

function requireOwnPage(event: SenderEvent): void {
  if (!isFromOwnPage(event)) throw new Error('Only the page of Strata itself may ask this.');
}

const refused = (code: string, message: string): CallOutcome => ({
  ok: false,
  error: { code, message, remedy: '', position: null },
});

const quoted = (value: unknown) => (typeof value === 'string' ? `"${value.slice(0, 60)}"` : 'without a name');

function asData(error: unknown): EngineErrorData {
  if (error instanceof EngineError) return error.toJSON();
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
    message: `Something went wrong inside Strata: ${message}`,
    remedy: '',
    position: null,
  };
}
