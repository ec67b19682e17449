import { type Browser, chromium } from 'playwright-core';

/** Debian's Chromium, or the one that STRATA_CHROMIUM names, without a display and without going to the network. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['STRATA_CHROMIUM'] || '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  });
}
