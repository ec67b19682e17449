const PYTORCH =
  'torch.cuda.memory._record_memory_history(max_entries=1_000_000)\n…\ntorch.cuda.memory._dump_snapshot("snapshot.pickle")';
const PROFILER =
  'with torch.profiler.profile(profile_memory=True, with_stack=True) as profile:\n    …\nprofile.export_chrome_trace("trace.json")  # PyTorch 1.10 or newer';
const BFC = 'TF_CPP_VMODULE=bfc_allocator=4 python train.py 2> train.log';
const XLA =
  'XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_as_proto" python train.py  # *.after_optimizations.hlo.pb';
const OWN = 'time,action,address,bytes\n0.25,alloc,0x7f0000000000,1048576';

/** What writes a capture with events and addresses, in the world that a capture of this format came from. */
export function howToRecord(format: string): string {
  switch (format) {
    case 'pytorch-snapshot':
      return PYTORCH;
    case 'kineto-trace':
      return PROFILER;
    case 'tensorflow-log':
    case 'tensorflow-memory-dump':
    case 'jax-memory-profile':
    case 'tensorboard-memory-profile':
    case 'xplane':
      return BFC;
    case 'xla-memory-viewer':
      return XLA;
    default:
      return OWN;
  }
}
