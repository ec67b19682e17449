import type { SimulatorInfo } from '../../app/contract/simulation.ts';
import { createEngine } from '../engine/index.ts';
import { ExitCode } from './exit-code.ts';
import { knobValues } from './run-options.ts';
import { alignTable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** `strata simulators`: the allocators that `simulate` knows, and their settings. */
export async function simulatorsCommand(
  options: { readonly json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const simulators = await createEngine().call('simulators', {});
  await terminal.write(options.json === true ? simulatorsJson(simulators) : simulatorsText(simulators));
  return ExitCode.Done;
}

function simulatorsText(simulators: readonly SimulatorInfo[]): string {
  const lines = simulators.flatMap(({ name, isModel, knobs }) => [
    `${name}${isModel ? '   a model: no driver follows it' : ''}`,
    ...alignTable(
      knobs.map((knob) => [
        knob.name,
        knobValues(knob),
        knob.initial === '' ? 'not set' : `default ${knob.initial}`,
      ]),
      '  ',
    ),
    '',
  ]);
  return `${lines.join('\n')}strata simulate FILE --allocator NAME --set KEY=VALUE\n`;
}

function simulatorsJson(simulators: readonly SimulatorInfo[]): string {
  const listed = simulators.map(({ name, isModel, knobs }) => ({ name, is_model: isModel, settings: knobs }));
  return `${JSON.stringify({ schema: 'strata.simulators/1', simulators: listed }, null, 2)}\n`;
}
