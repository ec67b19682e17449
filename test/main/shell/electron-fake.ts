import { EventEmitter } from 'node:events';
import type { IpcMain, IpcMainEvent, IpcMainInvokeEvent, WebContents, WebFrameMain } from 'electron';

/** Stands for Electron's ipcMain: keeps the handlers and lets a test call them from any frame. */
export function fakeIpcMain() {
  const handlers = new Map<string, (event: IpcMainInvokeEvent, ...args: unknown[]) => unknown>();
  const listeners = new Map<string, (event: IpcMainEvent, ...args: unknown[]) => void>();
  const ipcMain: Pick<IpcMain, 'handle' | 'on'> = {
    handle: (channel, handler) => void handlers.set(channel, handler),
    on: (channel, listener) => {
      listeners.set(channel, listener);
      return ipcMain as IpcMain;
    },
  };
  return {
    ipcMain,
    channels: () => [...handlers.keys(), ...listeners.keys()],
    invoke: async (channel: string, sender: FakeSender, ...args: unknown[]) =>
      handlers.get(channel)?.(sender.event as unknown as IpcMainInvokeEvent, ...args),
    send: (channel: string, sender: FakeSender, ...args: unknown[]) =>
      listeners.get(channel)?.(sender.event as unknown as IpcMainEvent, ...args),
  };
}

/** A page, and what was sent to it. */
export class FakeContents extends EventEmitter {
  readonly sent: unknown[][] = [];
  url = 'app://strata/index.html';
  openHandler: ((details: { url: string }) => { action: string }) | null = null;
  isGone = false;

  send(...message: unknown[]): void {
    this.sent.push(message);
  }
  isDestroyed(): boolean {
    return this.isGone;
  }
  getURL(): string {
    return this.url;
  }
  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }
  asWebContents(): WebContents {
    return this as unknown as WebContents;
  }
}

export interface FakeSender {
  readonly event: {
    readonly sender: FakeContents;
    readonly senderFrame: Pick<WebFrameMain, 'origin' | 'parent'> | null;
  };
}

export function senderAt(
  origin: string,
  sender = new FakeContents(),
  parent: WebFrameMain | null = null,
): FakeSender {
  return { event: { sender, senderFrame: { origin, parent } } };
}

/** An event that can be prevented, and whether it was. */
export function preventable<Details extends object>(details: Details) {
  const event = { ...details, isPrevented: false, preventDefault: () => {} };
  event.preventDefault = () => {
    event.isPrevented = true;
  };
  return event;
}
