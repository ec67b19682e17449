import path from 'node:path';
import {
  app,
  BrowserWindow,
  dialog,
  ipcMain,
  Menu,
  nativeTheme,
  protocol,
  session,
  utilityProcess,
} from 'electron';
import type { MenuLanguage } from '../../app/contract/bridge.ts';
import { CHANNELS } from './channels.ts';
import { openDialogOptions } from './dialog.ts';
import { denyPermissions, guardContents } from './guard.ts';
import { registerIpc } from './ipc.ts';
import { menuTemplate } from './menu.ts';
import { languageOf, messagesIn } from './messages.ts';
import { filesAmong, OpenRequests } from './open-requests.ts';
import { PAGE_URL, SCHEME } from './origin.ts';
import { createPageFiles } from './page-files.ts';
import { EngineSupervisor } from './supervisor.ts';
import { windowOptions } from './window.ts';

/** Electron's main process: one instance, one window, one engine. */

const built = path.resolve(__dirname, '..');
/** What Electron is started with in development. */
const own = path.resolve(built, '..');
const requests = new OpenRequests();
let window: BrowserWindow | null = null;
let language: MenuLanguage = 'en';

function openWindow(): void {
  const preload = path.join(built, 'shell', 'preload.cjs');
  const created = new BrowserWindow(windowOptions(preload, nativeTheme.shouldUseDarkColors, app.isPackaged));
  window = created;
  created.once('ready-to-show', () => created.show());
  created.webContents.on('did-start-navigation', (details) => {
    if (details.isMainFrame && !details.isSameDocument) requests.hold();
  });
  created.on('closed', () => {
    requests.hold();
    window = null;
  });
  void created.loadURL(PAGE_URL);
}

function showWindow(): void {
  if (window === null) openWindow();
  else if (window.isMinimized()) window.restore();
  window?.focus();
}

async function pickFiles(): Promise<readonly string[]> {
  const options = openDialogOptions(messagesIn(language), process.platform === 'darwin');
  const picked = await (window === null
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(window, options));
  return picked.canceled ? [] : picked.filePaths;
}

async function openPicked(): Promise<void> {
  const files = await pickFiles();
  if (files.length === 0) return;
  requests.add(files);
  showWindow();
}

function setLanguage(wanted: MenuLanguage): void {
  language = wanted;
  const template = menuTemplate({
    messages: messagesIn(language),
    isMac: process.platform === 'darwin',
    isPackaged: app.isPackaged,
    openFiles: () => void openPicked(),
  });
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

function startEngine(): EngineSupervisor {
  const program = path.join(built, 'engine', 'utility.cjs');
  return new EngineSupervisor({
    fork: () => utilityProcess.fork(program, [], { serviceName: 'Strata engine', stdio: 'inherit' }),
    onRestart: (code) => {
      console.error(`The engine ended with code ${code} and was restarted.`);
      window?.webContents.send(CHANNELS.engineRestarted);
    },
  });
}

/** Recordings get their end first; that takes a few seconds at most. */
function finishBeforeQuit(supervisor: EngineSupervisor): void {
  let state: 'running' | 'finishing' | 'finished' = 'running';
  app.on('will-quit', (event) => {
    if (state === 'finished') return;
    event.preventDefault();
    if (state === 'finishing') return;
    state = 'finishing';
    void supervisor.finish().finally(() => {
      state = 'finished';
      app.quit();
    });
  });
}

function run(): void {
  denyPermissions(session.defaultSession);
  protocol.handle(SCHEME, createPageFiles(path.join(built, 'renderer')));
  const supervisor = startEngine();
  finishBeforeQuit(supervisor);
  registerIpc(ipcMain, {
    engine: supervisor.engine,
    pickFiles,
    onListening: () => requests.deliverTo((paths) => window?.webContents.send(CHANNELS.openRequest, paths)),
    onLanguage: setLanguage,
  });
  setLanguage(languageOf(app.getLocale()));
  openWindow();
}

protocol.registerSchemesAsPrivileged([
  { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
]);
app.enableSandbox();
guardContents(app);

if (app.requestSingleInstanceLock()) {
  requests.add(filesAmong(process.argv.slice(1), process.cwd(), own));
  app.on('second-instance', (_event, argv, folder) => {
    requests.add(filesAmong(argv.slice(1), folder, own));
    showWindow();
  });
  app.on('open-file', (event, file) => {
    event.preventDefault();
    requests.add([file]);
    if (app.isReady()) showWindow();
  });
  app.on('activate', showWindow);
  app.on('window-all-closed', () => {
    if (process.platform !== 'darwin') app.quit();
  });
  void app.whenReady().then(run);
} else {
  app.quit();
}
