import { engineError } from './errors.ts';
import { findShipped } from './locations.ts';
import type { NativeAddon } from './native.ts';

let loaded: NativeAddon | null = null;

/** Loads the addon once. Errors: "addon-missing", "addon-unusable". */
export function loadAddon(): NativeAddon {
  loaded ??= load();
  return loaded;
}

function load(): NativeAddon {
  const file = findShipped({
    variable: 'STRATA_ADDON',
    inResources: 'native/strata.node',
    inRepository: 'native/build/Release/strata.node',
  });
  if (file === null) {
    throw engineError(
      'addon-missing',
      'The native part of Strata is not built.',
      'Run "npm start" once in the repository: it builds what is missing.',
    );
  }
  const module: { exports: unknown } = { exports: {} };
  try {
    // Not require(): bundlers leave this call alone.
    process.dlopen(module as NodeModule, file);
  } catch (error) {
    throw engineError(
      'addon-unusable',
      `The native part of Strata cannot be loaded from ${file}: ${String(error)}`,
      'Delete native/build and run "npm start": it is built anew for this machine.',
    );
  }
  return module.exports as NativeAddon;
}
