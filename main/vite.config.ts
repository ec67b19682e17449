import path from 'node:path';
import { defineConfig } from 'vite';

const repository = path.resolve(import.meta.dirname, '..');

/** One self-contained file for each process; the mode (`vite build --mode host`) says which. */
const programs: Record<string, { entry: string; output: string; format: 'cjs' | 'es' }> = {
  shell: { entry: 'main/shell/main.ts', output: 'shell/main.cjs', format: 'cjs' },
  // A sandboxed preload can only be CommonJS and require nothing but electron.
  preload: { entry: 'main/shell/preload.ts', output: 'shell/preload.cjs', format: 'cjs' },
  utility: { entry: 'main/shell/utility.ts', output: 'engine/utility.cjs', format: 'cjs' },
  host: { entry: 'main/host.ts', output: 'host/strata.mjs', format: 'es' },
};

export default defineConfig(({ mode }) => {
  const program = programs[mode];
  if (program === undefined) throw new Error(`--mode is one of ${Object.keys(programs).join(', ')}`);
  return {
    root: repository,
    publicDir: false,
    // The package stays free of node_modules: all that is imported is bundled.
    ssr: { noExternal: true, external: ['electron'] },
    build: {
      ssr: path.join(repository, program.entry),
      target: 'node20',
      outDir: path.join(repository, 'dist', path.dirname(program.output)),
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        output: {
          format: program.format,
          entryFileNames: path.basename(program.output),
          codeSplitting: false,
        },
      },
    },
  };
});
