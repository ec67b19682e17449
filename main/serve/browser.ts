import { spawn } from 'node:child_process';

/**
 * Opens an address in the user's browser where there is a display. The address stands in the arguments of the
 * browser then, where other users of the machine can read it while it starts; machines with several users at once
 * rarely have a display, and `--no-open` is for those that do.
 */
export function openBrowser(address: string): void {
  const command = commandFor(address);
  if (command === null) return;
  const [program, ...args] = command;
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.on('error', () => {}); // no browser found: the address has been printed
  child.unref();
}

type Command = readonly [program: string, ...args: string[]];

export function commandFor(
  address: string,
  platform: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
): Command | null {
  if (platform === 'darwin') return ['open', address];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address];
  const hasDisplay = [environment['DISPLAY'], environment['WAYLAND_DISPLAY']].some((one) => one);
  return hasDisplay ? ['xdg-open', address] : null;
}
