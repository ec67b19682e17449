/**
 * How to record each kind of capture: the commands, which are the same in every language. What they are called, what one
 * sees with them, what that costs and since when they exist are `record.guides.<id>` and `record.steps.<step>` of the
 * locales.
 */

export const RECORD_GUIDE_IDS = [
  'pytorch',
  'kineto',
  'live',
  'bfcLog',
  'xprof',
  'xlaHlo',
  'jaxProfile',
  'rmm',
  'nsight',
  'gpus',
  'generic',
] as const;
export type RecordGuideId = (typeof RECORD_GUIDE_IDS)[number];

export type RecordGroup = 'pytorch' | 'xla' | 'cuda' | 'any';
export const RECORD_GROUPS: readonly RecordGroup[] = ['pytorch', 'xla', 'cuda', 'any'];

export interface RecordStep {
  readonly id: RecordStepId;
  readonly language: 'python' | 'shell' | 'csv' | 'json';
  readonly code: string;
}

export interface RecordGuide {
  readonly id: RecordGuideId;
  readonly group: RecordGroup;
  /** Formats of traces, as TraceInfo names them, that are recorded this way. */
  readonly formats: readonly string[];
  readonly steps: readonly RecordStep[];
}

export type RecordStepId =
  | 'pytorchHistory'
  | 'pytorchPlain'
  | 'kinetoProfile'
  | 'liveWatch'
  | 'liveDumps'
  | 'bfcDump'
  | 'bfcEvents'
  | 'bfcMemoryDump'
  | 'xprofTensorflow'
  | 'xprofJax'
  | 'xlaDump'
  | 'jaxSave'
  | 'rmmPython'
  | 'rmmEnvironment'
  | 'rmmSpark'
  | 'nsightProfile'
  | 'nsightExport'
  | 'gpusSample'
  | 'gpusLimit'
  | 'genericCsv'
  | 'genericJson';

const lines = (...text: readonly string[]) => text.join('\n');

export const RECORD_GUIDES: readonly RecordGuide[] = [
  {
    id: 'pytorch',
    group: 'pytorch',
    formats: ['pytorch-snapshot'],
    steps: [
      {
        id: 'pytorchHistory',
        language: 'python',
        code: lines(
          'import torch',
          'torch.cuda.memory._record_memory_history(',
          '    max_entries=1_000_000, stacks="python")',
          'try:',
          '    train()',
          'finally:',
          '    torch.cuda.memory._dump_snapshot("snapshot.pickle")',
        ),
      },
      {
        id: 'pytorchPlain',
        language: 'python',
        code: lines(
          'import pickle, torch',
          'with open("snapshot.pickle", "wb") as file:',
          '    pickle.dump(torch.cuda.memory._snapshot(), file)',
        ),
      },
    ],
  },
  {
    id: 'kineto',
    group: 'pytorch',
    formats: ['kineto-trace'],
    steps: [
      {
        id: 'kinetoProfile',
        language: 'python',
        code: lines(
          'from torch.profiler import ProfilerActivity, profile',
          'with profile(',
          '    activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],',
          '    profile_memory=True, with_stack=True,',
          ') as profiler:',
          '    train_a_few_steps()',
          'profiler.export_chrome_trace("trace.json.gz")',
        ),
      },
    ],
  },
  {
    id: 'live',
    group: 'pytorch',
    formats: [],
    steps: [
      {
        id: 'liveWatch',
        language: 'python',
        code: lines('import strata_live', 'with strata_live.watch_pytorch():', '    train()'),
      },
      {
        id: 'liveDumps',
        language: 'shell',
        code: 'python -m strata_live snapshots/',
      },
    ],
  },
  {
    id: 'bfcLog',
    group: 'xla',
    formats: ['tensorflow-log', 'tensorflow-memory-dump'],
    steps: [
      {
        id: 'bfcDump',
        language: 'shell',
        code: 'TF_CPP_MIN_LOG_LEVEL=0 python train.py 2> train.log',
      },
      {
        id: 'bfcEvents',
        language: 'shell',
        code: 'TF_CPP_VMODULE=bfc_allocator=4 python train.py 2> train.log',
      },
      {
        id: 'bfcMemoryDump',
        language: 'shell',
        code: 'TF_BFC_MEMORY_DUMP=/tmp/memory python train.py',
      },
    ],
  },
  {
    id: 'xprof',
    group: 'xla',
    formats: ['xplane', 'tensorboard-memory-profile'],
    steps: [
      {
        id: 'xprofTensorflow',
        language: 'python',
        code: lines(
          'import tensorflow as tf',
          'tf.profiler.experimental.start("logs")',
          'train_a_few_steps()',
          'tf.profiler.experimental.stop()',
        ),
      },
      {
        id: 'xprofJax',
        language: 'python',
        code: lines(
          'import jax',
          'jax.profiler.start_trace("logs")',
          'train_a_few_steps()',
          'jax.profiler.stop_trace()',
        ),
      },
    ],
  },
  {
    id: 'xlaHlo',
    group: 'xla',
    formats: ['xla-hlo', 'xla-memory-viewer'],
    steps: [
      {
        id: 'xlaDump',
        language: 'shell',
        code: 'XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_as_proto" python train.py',
      },
    ],
  },
  {
    id: 'jaxProfile',
    group: 'xla',
    formats: ['jax-memory-profile'],
    steps: [
      {
        id: 'jaxSave',
        language: 'python',
        code: lines('import jax', 'jax.profiler.save_device_memory_profile("memory.prof")'),
      },
    ],
  },
  {
    id: 'rmm',
    group: 'cuda',
    formats: ['rmm-log'],
    steps: [
      {
        id: 'rmmPython',
        language: 'python',
        code: lines('import rmm', 'rmm.enable_logging(log_file_name="rmm.csv")'),
      },
      { id: 'rmmEnvironment', language: 'shell', code: 'RMM_LOG_FILE=rmm.csv ./program' },
      {
        id: 'rmmSpark',
        language: 'shell',
        code: 'spark-submit --conf spark.rapids.memory.gpu.debug=STDERR …',
      },
    ],
  },
  {
    id: 'nsight',
    group: 'cuda',
    formats: ['nsight-export'],
    steps: [
      {
        id: 'nsightProfile',
        language: 'shell',
        code: 'nsys profile --trace=cuda --cuda-memory-usage=true -o run python train.py',
      },
      { id: 'nsightExport', language: 'shell', code: 'nsys export --type sqlite run.nsys-rep' },
    ],
  },
  {
    id: 'gpus',
    group: 'any',
    formats: ['gpu-recording'],
    steps: [
      { id: 'gpusSample', language: 'shell', code: 'strata sample --hz 10 --out gpus.strata' },
      {
        id: 'gpusLimit',
        language: 'shell',
        code: 'strata sample --hz 1 --limit 256 --append --out gpus.strata',
      },
    ],
  },
  {
    id: 'generic',
    group: 'any',
    formats: ['generic-events'],
    steps: [
      {
        id: 'genericCsv',
        language: 'csv',
        code: lines(
          'time_us,action,address,bytes,stack',
          '12.5,alloc,0x7f0000000000,1048576,forward (model.py:12)',
          '80,free,0x7f0000000000,1048576,',
        ),
      },
      {
        id: 'genericJson',
        language: 'json',
        code: lines(
          '{"time_us": 12.5, "action": "alloc", "address": "0x7f0000000000", "bytes": 1048576}',
          '{"time_us": 80, "action": "free", "address": "0x7f0000000000"}',
        ),
      },
    ],
  },
];

export function recordGuide(id: RecordGuideId): RecordGuide {
  return RECORD_GUIDES.find((guide) => guide.id === id) ?? (RECORD_GUIDES[0] as RecordGuide);
}

/** How a trace of some format was recorded, and would be again. */
export function guideOfFormat(format: string): RecordGuideId {
  return RECORD_GUIDES.find((guide) => guide.formats.includes(format))?.id ?? 'pytorch';
}

/** Words by which a guide is asked for on the command line, besides its id. */
export const RECORD_NAMES: Readonly<Record<RecordGuideId, readonly string[]>> = {
  pytorch: ['torch', 'snapshot'],
  kineto: ['profiler', 'pytorch-profiler'],
  live: ['strata_live'],
  bfcLog: ['tensorflow', 'bfc', 'bfc-log', 'onnx'],
  xprof: ['xplane', 'tensorboard'],
  xlaHlo: ['xla', 'hlo'],
  jaxProfile: ['jax', 'jax-profile'],
  rmm: ['rapids', 'spark'],
  nsight: ['nsys'],
  gpus: ['gpu', 'sample', 'nvml'],
  generic: ['csv', 'json', 'own'],
};
