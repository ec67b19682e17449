import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import type {
  BrowserWindowConstructorOptions,
  IpcMainInvokeEvent,
  MenuItemConstructorOptions,
  OpenDialogReturnValue,
} from 'electron';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';

/**
 * Runs the built shell without Electron: the real main bundle with a stand-in for the electron module, whose window
 * is a page of Debian's Chromium, whose preload is the real one, and whose engine process is the real one under Node.
 * What crosses between them is copied as Electron would copy it.
 */

const root = path.resolve(import.meta.dirname, '../..');
const built = path.join(root, 'dist');
const require = createRequire(import.meta.url);

/** Chromium opens no app:// itself; this origin stands for it and is as secure. */
const SHOWN_ORIGIN = 'http://strata.app.localhost';
const OWN_ORIGIN = 'app://strata';

export interface ShimOptions {
  /** What follows the program on the command line. */
  readonly argv?: readonly string[];
  readonly locale?: string;
}

/** A shell that runs; everything a test can see or do from outside. */
export interface ShimmedShell {
  readonly page: Page;
  readonly windowOptions: BrowserWindowConstructorOptions;
  /** What the page printed as an error, and requests that the policy or the shell refused. */
  readonly complaints: readonly string[];
  menu(): readonly MenuItemConstructorOptions[];
  /** The files that the open dialog is going to answer. */
  answerDialog(files: readonly string[]): void;
  secondStart(argv: readonly string[], folder: string): void;
  /** Ends the engine's process as a crash would. */
  crashEngine(): Promise<void>;
  close(): Promise<void>;
}

/** Each shell is a new profile in the browser that the caller keeps. */
export async function startShell(
  browser: Browser,
  { argv = [], locale = 'en-GB' }: ShimOptions = {},
): Promise<ShimmedShell> {
  const shim = new ElectronShim(browser, locale);
  loadMain(shim.module(), argv);
  const page = await shim.page;
  return {
    page,
    windowOptions: shim.windowOptions,
    complaints: shim.complaints,
    menu: () => shim.menu,
    answerDialog: (files) => {
      shim.dialogAnswer = { canceled: files.length === 0, filePaths: [...files] };
    },
    secondStart: (more, folder) => void shim.app.emit('second-instance', {}, ['strata', ...more], folder),
    crashEngine: () => shim.crashEngine(),
    close: async () => {
      await page.context().close();
      await shim.quit();
    },
  };
}

/** Requires dist/shell/main.cjs afresh, with `electron` answered by the stand-in. */
function loadMain(electron: unknown, argv: readonly string[]): void {
  const loader = Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
  const { _load: load } = loader;
  const { argv: argvBefore } = process;
  loader._load = (request, ...rest) => (request === 'electron' ? electron : load(request, ...rest));
  process.argv = ['electron', root, ...argv];
  const main = path.join(built, 'shell', 'main.cjs');
  try {
    delete require.cache[main];
    require(main);
  } finally {
    loader._load = load;
    process.argv = argvBefore;
  }
}

type Handler = (event: unknown, ...args: unknown[]) => unknown;

class ElectronShim {
  readonly app: EventEmitter;
  readonly page: Promise<Page>;
  readonly complaints: string[] = [];
  windowOptions: BrowserWindowConstructorOptions = {};
  menu: readonly MenuItemConstructorOptions[] = [];
  dialogAnswer: OpenDialogReturnValue = { canceled: true, filePaths: [] };
  readonly #browser: Browser;
  readonly #handlers = new Map<string, Handler>();
  readonly #contents = Object.assign(new EventEmitter(), { setWindowOpenHandler: () => {} });
  #serve: (request: Request) => Promise<Response> = async () => new Response(null, { status: 404 });
  #engine: ChildProcess | null = null;
  #shown: (page: Page) => void = () => {};
  #failed: (error: unknown) => void = () => {};
  #quitAgain: () => void = () => {};

  constructor(browser: Browser, locale: string) {
    this.#browser = browser;
    this.app = Object.assign(new EventEmitter(), {
      isPackaged: false,
      enableSandbox: () => {},
      getLocale: () => locale,
      isReady: () => true,
      quit: () => this.#quitAgain(),
      requestSingleInstanceLock: () => true,
      whenReady: async () => {},
    });
    this.page = new Promise((resolve, reject) => {
      this.#shown = resolve;
      this.#failed = reject;
    });
  }

  /** What `require('electron')` gives to the main bundle. */
  module() {
    const shim = this;
    return {
      app: this.app,
      BrowserWindow: class extends EventEmitter {
        readonly webContents = shim.#contents;
        constructor(options: BrowserWindowConstructorOptions) {
          super();
          shim.windowOptions = options;
          shim.app.emit('web-contents-created', {}, shim.#contents);
        }
        loadURL = async (url: string) => {
          const page = await shim.#open(url).catch(shim.#failed);
          this.emit('ready-to-show');
          if (page) shim.#shown(page);
        };
        show() {}
        focus() {}
        isMinimized = () => false;
      },
      dialog: { showOpenDialog: async () => shim.dialogAnswer },
      ipcMain: {
        handle: (channel: string, handler: Handler) => shim.#handlers.set(channel, handler),
        on: (channel: string, handler: Handler) => shim.#handlers.set(channel, handler),
      },
      Menu: {
        buildFromTemplate: (template: MenuItemConstructorOptions[]) => template,
        setApplicationMenu: (template: MenuItemConstructorOptions[]) => {
          shim.menu = template;
        },
      },
      nativeTheme: { shouldUseDarkColors: false },
      protocol: {
        registerSchemesAsPrivileged: () => {},
        handle: (_scheme: string, serve: (request: Request) => Promise<Response>) => {
          shim.#serve = serve;
        },
      },
      session: {
        defaultSession: {
          setPermissionRequestHandler: () => {},
          setPermissionCheckHandler: () => {},
          setDevicePermissionHandler: () => {},
        },
      },
      utilityProcess: { fork: (program: string) => shim.#fork(program) },
    };
  }

  /** As Electron quits: whoever holds it back calls it again. */
  async quit(): Promise<void> {
    let isHeld = false;
    const again = new Promise<void>((resolve) => {
      this.#quitAgain = resolve;
    });
    const event = {
      preventDefault: () => {
        isHeld = true;
      },
    };
    this.app.emit('will-quit', event);
    if (!isHeld) return;
    await again;
    await this.quit();
  }

  async crashEngine(): Promise<void> {
    const gone = new Promise((resolve) => this.#engine?.once('exit', resolve));
    this.#engine?.kill('SIGKILL');
    await gone;
  }

  #fork(program: string) {
    const child = fork(program, [], {
      serialization: 'advanced',
      execArgv: ['--import', `data:text/javascript,${encodeURIComponent(PARENT_PORT)}`],
    });
    this.#engine = child;
    return {
      // Electron drops what is posted to a process that has ended; Node reports it, so the report is dropped.
      postMessage: (message: never) => child.send(message, () => {}),
      on: (event: string, listener: (...args: unknown[]) => void) => child.on(event, listener),
      kill: () => child.kill(),
    };
  }

  async #open(url: string): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1440, height: 900 },
      locale: 'en-GB',
    });
    const page = await context.newPage();
    this.#listen(page);
    await page.route('**/*', (route) => this.#answer(route));
    await this.#connect(context, page);
    await page.goto(url.replace(OWN_ORIGIN, SHOWN_ORIGIN));
    return page;
  }

  #listen(page: Page): void {
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('framenavigated', (frame) => {
      if (frame.parentFrame() === null) return;
      this.complaints.push(`a frame went to ${frame.url()}`);
    });
  }

  /** Requests to our origin go to the shell's own protocol handler; there is no other place to go. */
  async #answer(route: Route): Promise<void> {
    const url = route.request().url();
    if (!url.startsWith(`${SHOWN_ORIGIN}/`)) return route.abort();
    const response = await this.#serve(new Request(url.replace(SHOWN_ORIGIN, OWN_ORIGIN)));
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  }

  /** Gives the page the real preload, and the preload a stand-in for Electron's side of it. */
  async #connect(context: BrowserContext, page: Page): Promise<void> {
    await page.exposeBinding('shimToMain', async ({ frame }, channel: string, args: unknown[]) => {
      const origin = new URL(frame.url()).origin.replace(SHOWN_ORIGIN, OWN_ORIGIN);
      const event = { sender: this.#contents, senderFrame: { origin, parent: frame.parentFrame() } };
      return this.#handlers.get(channel)?.(event as unknown as IpcMainInvokeEvent, ...args);
    });
    Object.assign(this.#contents, {
      isDestroyed: () => page.isClosed(),
      getURL: () => page.url().replace(SHOWN_ORIGIN, OWN_ORIGIN),
      send: (channel: string, ...values: unknown[]) =>
        void page.evaluate(
          ([name, sent]) =>
            (window as unknown as ShimmedWindow).shimFromMain.dispatchEvent(
              new CustomEvent(name, { detail: sent }),
            ),
          [channel, values] as const,
        ),
    });
    await context.addInitScript(preloadScript());
  }
}

interface ShimmedWindow {
  readonly shimFromMain: EventTarget;
}

/** Electron's process.parentPort on top of Node's own channel. */
const PARENT_PORT = `
  process.parentPort = {
    on: (name, listener) => process.on('message', (data) => listener({ data })),
    postMessage: (message) => process.send(message),
  };
  process.on('disconnect', () => process.exit());
`;

/** The built preload in a function whose require knows nothing but electron, as in Electron's sandbox. */
function preloadScript(): string {
  const source = require('node:fs').readFileSync(path.join(built, 'shell', 'preload.cjs'), 'utf8');
  return `(() => {
    const target = new EventTarget();
    window.shimFromMain = target;
    const forwards = new Map();
    const electron = {
      contextBridge: { exposeInMainWorld: (name, api) => { window[name] = Object.freeze(api); } },
      ipcRenderer: {
        invoke: (channel, ...args) => window.shimToMain(channel, args),
        send: (channel, ...args) => void window.shimToMain(channel, args),
        on: (channel, listener) => {
          const forward = (event) => listener({}, ...event.detail);
          forwards.set(listener, forward);
          target.addEventListener(channel, forward);
        },
        off: (channel, listener) => target.removeEventListener(channel, forwards.get(listener)),
      },
      webUtils: { getPathForFile: (file) => window.shimPaths?.[file.name] ?? '' },
    };
    const require = (name) => {
      if (name !== 'electron') throw new Error('A sandboxed preload cannot require ' + name);
      return electron;
    };
    const process = { platform: 'linux' };
    const module = { exports: {} };
    ((exports) => { ${source} })(module.exports);
  })()`;
}
