import { describe, expect, it } from 'vitest';
import { wrongImportsIn } from '../../../main/setup/stages/imports.mjs';

describe('the import lint', () => {
  it.each([
    ['app/domain/a.ts', "import { b } from '../contract/engine.ts';"],
    ['renderer/views/a.tsx', "import { b } from '../../app/domain/units.ts';"],
    ['main/serve/a.ts', "import { b } from '../engine/index.ts';"],
    ['main/shell/a.ts', "import { app } from 'electron';"],
    ['main/host.ts', "import { serve } from './serve/index.ts';"],
    ['native/capture/a.cc', '#include "trace/trace.h"'],
    ['native/binding/a.cc', '#include <napi.h>'],
  ])('lets %s say: %s', (path, text) => {
    expect(wrongImportsIn(path, text)).toEqual([]);
  });

  it.each([
    ['app/domain/a.ts', "import { readFile } from 'node:fs';"],
    ['app/domain/a.ts', "import { b } from '../../main/engine/index.ts';"],
    ['app/domain/a.ts', "import { useState } from 'react';"],
    ['renderer/views/a.tsx', "import type { B } from '../../main/engine/traces.ts';"],
    ['renderer/views/a.tsx', "const b = await import('node:path');"],
    ['main/engine/a.ts', "import { b } from '../serve/index.ts';"],
    ['main/engine/a.ts', "export { b } from '../../renderer/state/store.ts';"],
    ['main/cli/a.ts', "import { serve } from '../serve/index.ts';"],
    ['main/shell/a.ts', "import '../cli/main.ts';"],
    ['main/serve/a.ts', "import { app } from 'electron';"],
    ['main/host.ts', "import './shell/main.ts';"],
    ['native/trace/a.h', '#include "capture/capture.h"'],
    ['native/analysis/a.cc', '#include "allocator/rebuild.h"'],
    ['native/device/a.cc', '#include "trace/trace.h"'],
    ['native/trace/a.h', '#include <napi.h>'],
  ])('refuses that %s says: %s', (path, text) => {
    expect(wrongImportsIn(path, text)).toHaveLength(1);
  });
});
