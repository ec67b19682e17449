/*
 * A libnvidia-ml.so.1 that answers what a test says. It is loaded through the real loader, so everything but the
 * hardware is real. FAKE_NVML, read when the library is initialised, or fakeNvmlConfigure(), changes it:
 *
 *   gpus=N             how many GPUs (2)
 *   mig=N              instances on GPU 0, the slot between them empty (0)
 *   fail=FUNCTION:CODE every call of a function answers a code; may be given several times
 *   hang=FUNCTION      a function does not return until hang= is taken away
 *   slow=FUNCTION:MS   a function takes that long
 *   lost=N             GPU N answers 15, "GPU is lost"
 *   lasting=CALLS      it does so after that many calls, not from the start
 *   processes=N        processes on each GPU (2)
 *   name=TEXT          of their programs, before the number (fake)
 *   swelling=MIB       each process holds so much more with every list
 *   growing=1          each process list is one longer than its last answer said
 *   used=BYTES         used memory of GPU 0; GPU n has n GiB more
 *   v1=1               memory in version 2 answers "unknown error", as in some WSL drivers
 *
 * FAKE_NVML_OLD leaves out what drivers of 2015 did not have; FAKE_NVML_BARE all but counting.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_GPUS = 16, MOST_INSTANCES = 7, MOST_FAILURES = 8 };

struct failure {
  char function[64];
  int code;
};

static struct {
  unsigned gpus, instances, processes;
  int lost, isGrowing, isV1, slowness, lasting;
  uint64_t swelling, swollen;
  uint64_t used;
  struct failure failures[MOST_FAILURES];
  unsigned failureCount;
  unsigned growth;
} state;
static char hanging[64], slow[64], program[128];
static volatile int hangs;
static int isConfigured;

struct device {
  unsigned index;
  int instance; /* -1: the whole GPU */
};
static struct device devices[MOST_GPUS][MOST_INSTANCES + 1];

static void apply(const char* key, const char* value) {
  if (strcmp(key, "gpus") == 0) state.gpus = (unsigned)atoi(value);
  if (strcmp(key, "mig") == 0) state.instances = (unsigned)atoi(value);
  if (strcmp(key, "processes") == 0) state.processes = (unsigned)atoi(value);
  if (strcmp(key, "name") == 0) snprintf(program, sizeof program, "%s", value);
  if (strcmp(key, "lost") == 0) state.lost = atoi(value);
  if (strcmp(key, "lasting") == 0) state.lasting = atoi(value);
  if (strcmp(key, "swelling") == 0) state.swelling = strtoull(value, NULL, 10) << 20;
  if (strcmp(key, "slow") == 0) sscanf(value, "%63[^:]:%d", slow, &state.slowness);
  if (strcmp(key, "growing") == 0) state.isGrowing = atoi(value);
  if (strcmp(key, "v1") == 0) state.isV1 = atoi(value);
  if (strcmp(key, "used") == 0) state.used = strtoull(value, NULL, 10);
  if (strcmp(key, "hang") == 0) {
    snprintf(hanging, sizeof hanging, "%s", value);
    hangs = 1;
  }
  if (strcmp(key, "fail") == 0 && state.failureCount < MOST_FAILURES) {
    struct failure* failure = &state.failures[state.failureCount++];
    sscanf(value, "%63[^:]:%d", failure->function, &failure->code);
  }
}

/* Replaces the configuration: "gpus=4 fail=nvmlDeviceGetPowerUsage:999". */
void fakeNvmlConfigure(const char* text) {
  char copy[1024];
  char* rest = NULL;
  snprintf(copy, sizeof copy, "%s", text == NULL ? "" : text);
  hangs = 0;
  isConfigured = 1;
  memset(&state, 0, sizeof state);
  state.gpus = 2;
  state.processes = 2;
  state.lost = -1;
  state.used = 10ull << 30;
  snprintf(program, sizeof program, "fake");
  for (char* word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    char* equals = strchr(word, '=');
    if (equals == NULL) continue;
    *equals = 0;
    apply(word, equals + 1);
  }
}

/* What every function does first: hang, fail, or go on (0). */
static int begin(const char* function) {
  while (hangs && strcmp(hanging, function) == 0) usleep(1000);
  if (state.slowness > 0 && strcmp(slow, function) == 0) usleep((unsigned)state.slowness * 1000);
  for (unsigned i = 0; i < state.failureCount; ++i) {
    if (strcmp(state.failures[i].function, function) == 0) return state.failures[i].code;
  }
  return 0;
}

static int beginOn(const char* function, const struct device* device) {
  const int code = begin(function);
  if (code != 0) return code;
  if ((int)device->index != state.lost) return 0;
  return state.lasting-- > 0 ? 0 : 15;
}

#define BEGIN()                       \
  do {                                \
    const int code = begin(__func__); \
    if (code != 0) return code;       \
  } while (0)
#define BEGIN_ON(device)                        \
  do {                                          \
    const int code = beginOn(__func__, device); \
    if (code != 0) return code;                 \
  } while (0)

static int start(void) {
  const char* text = getenv("FAKE_NVML");
  if (text != NULL || !isConfigured) fakeNvmlConfigure(text);
  return 0;
}

int nvmlInit(void) {
  start();
  BEGIN();
  return 0;
}

int nvmlDeviceGetCount(unsigned* count) {
  BEGIN();
  *count = state.gpus;
  return 0;
}

int nvmlDeviceGetHandleByIndex(unsigned index, struct device** device) {
  BEGIN();
  if (index >= state.gpus) return 2;
  if ((int)index == state.lost && state.lasting <= 0) return 15;
  devices[index][0].index = index;
  devices[index][0].instance = -1;
  *device = &devices[index][0];
  return 0;
}

#ifndef FAKE_NVML_BARE

int nvmlSystemGetDriverVersion(char* text, unsigned size) {
  BEGIN();
  snprintf(text, size, "999.11");
  return 0;
}

int nvmlDeviceGetName(const struct device* device, char* text, unsigned size) {
  BEGIN_ON(device);
  if (device->instance < 0) {
    snprintf(text, size, "Fake GPU");
  } else {
    snprintf(text, size, "Fake GPU MIG 1g.10gb");
  }
  return 0;
}

int nvmlDeviceGetUUID(const struct device* device, char* text, unsigned size) {
  BEGIN_ON(device);
  if (device->instance < 0) {
    snprintf(text, size, "GPU-fake-%u", device->index);
  } else {
    snprintf(text, size, "MIG-fake-%u-%d", device->index, device->instance);
  }
  return 0;
}

struct memory {
  uint64_t total, free, used;
};

static const uint64_t total = 80ull << 30, reserved = 600ull << 20;

static uint64_t usedOf(const struct device* device) {
  if (device->instance >= 0) return 1ull << 30;
  return state.used + ((uint64_t)device->index << 30);
}

int nvmlDeviceGetMemoryInfo(const struct device* device, struct memory* memory) {
  BEGIN_ON(device);
  memory->total = total;
  memory->used = usedOf(device) + reserved;
  memory->free = total - memory->used;
  return 0;
}

int nvmlDeviceGetTemperature(const struct device* device, int sensor, unsigned* celsius) {
  BEGIN_ON(device);
  if (sensor != 0) return 2;
  *celsius = 40 + device->index;
  return 0;
}

int nvmlDeviceGetUtilizationRates(const struct device* device, unsigned* busy) {
  BEGIN_ON(device);
  if (device->instance >= 0) return 3;
  busy[0] = 50 + device->index;
  busy[1] = 20;
  return 0;
}

struct process {
  unsigned pid;
  uint64_t bytes;
#ifndef FAKE_NVML_OLD
  unsigned gpuInstance, computeInstance;
#endif
};

static int listProcesses(unsigned* count, struct process* processes) {
  const unsigned there = state.processes + (state.isGrowing ? state.growth++ : 0);
  state.swollen += state.swelling;
  if (*count < there) {
    *count = there;
    return 7;
  }
  *count = there;
  for (unsigned i = 0; i < there; ++i) {
    memset(&processes[i], 0, sizeof processes[i]);
    processes[i].pid = 4000000 + i;
    processes[i].bytes = (uint64_t)(i + 1) << 30;
    processes[i].bytes = i == 1 ? ~0ull : processes[i].bytes + state.swollen; /* the second is not available */
#ifndef FAKE_NVML_OLD
    processes[i].gpuInstance = processes[i].computeInstance = ~0u;
#endif
  }
  return 0;
}

int nvmlSystemGetProcessName(unsigned pid, char* text, unsigned size) {
  BEGIN();
  snprintf(text, size, "/usr/bin/%s-%u", program, pid);
  return 0;
}

#ifdef FAKE_NVML_OLD

int nvmlDeviceGetComputeRunningProcesses(const struct device* device, unsigned* count,
                                         struct process* processes) {
  BEGIN_ON(device);
  return listProcesses(count, processes);
}

#else

int nvmlInitWithFlags(unsigned flags) {
  (void)flags;
  start();
  BEGIN();
  return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v3(const struct device* device, unsigned* count,
                                            struct process* processes) {
  BEGIN_ON(device);
  return listProcesses(count, processes);
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(const struct device* device, unsigned* count,
                                             struct process* processes) {
  BEGIN_ON(device);
  if (device->instance >= 0) return 3;
  if (*count < 1 && state.processes > 0) {
    *count = 1;
    return 7;
  }
  *count = state.processes > 0 ? 1 : 0;
  if (*count > 0) {
    processes[0].pid = 4000000;
    processes[0].bytes = 1ull << 30;
    processes[0].gpuInstance = processes[0].computeInstance = ~0u;
  }
  return 0;
}

struct memory2 {
  unsigned version;
  uint64_t total, reserved, free, used;
};

int nvmlDeviceGetMemoryInfo_v2(const struct device* device, struct memory2* memory) {
  BEGIN_ON(device);
  if (memory->version != (sizeof(struct memory2) | 2u << 24)) return 25;
  if (state.isV1) return 999;
  memory->total = total;
  memory->reserved = reserved;
  memory->used = usedOf(device);
  memory->free = total - memory->reserved - memory->used;
  return 0;
}

int nvmlDeviceGetTemperatureThreshold(const struct device* device, int kind, unsigned* celsius) {
  BEGIN_ON(device);
  *celsius = kind == 1 ? 87 : 92;
  return 0;
}

int nvmlDeviceGetPowerUsage(const struct device* device, unsigned* milliwatts) {
  BEGIN_ON(device);
  if (device->instance >= 0) return 3;
  *milliwatts = 300500 + device->index * 1000;
  return 0;
}

int nvmlDeviceGetEnforcedPowerLimit(const struct device* device, unsigned* milliwatts) {
  BEGIN_ON(device);
  if (device->instance >= 0) return 3;
  *milliwatts = 700000;
  return 0;
}

int nvmlDeviceGetClockInfo(const struct device* device, int clock, unsigned* megahertz) {
  BEGIN_ON(device);
  *megahertz = clock == 2 ? 2619 : 1830;
  return 0;
}

int nvmlDeviceGetPcieThroughput(const struct device* device, int direction, unsigned* kilobytes) {
  BEGIN_ON(device);
  *kilobytes = direction == 0 ? 1500 : 2500;
  return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(const struct device* device, unsigned long long* millijoules) {
  BEGIN_ON(device);
  if (device->instance >= 0) return 3;
  *millijoules = 123456789012ull;
  return 0;
}

struct sample {
  unsigned pid;
  unsigned long long time;
  unsigned sm, memory, encoder, decoder;
};

int nvmlDeviceGetProcessUtilization(const struct device* device, struct sample* samples, unsigned* count,
                                    unsigned long long since) {
  BEGIN_ON(device);
  if (*count < 3) {
    *count = 3;
    return 7;
  }
  *count = 3; /* one of them seen before, two of one process */
  for (unsigned i = 0; i < 3; ++i) {
    const struct sample sample = {4000000, i == 0 ? since : since + i, i == 2 ? 30u : 10u, 0, 0, 0};
    samples[i] = sample;
  }
  return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(const struct device* device, unsigned* count) {
  BEGIN_ON(device);
  *count = device->index == 0 && state.instances > 0 ? MOST_INSTANCES : 0;
  return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(const struct device* device, unsigned slot,
                                        struct device** instance) {
  BEGIN_ON(device);
  if (slot % 2 == 1 || slot / 2 >= state.instances) return 6;
  devices[device->index][1 + slot].index = device->index;
  devices[device->index][1 + slot].instance = (int)slot;
  *instance = &devices[device->index][1 + slot];
  return 0;
}

#endif
#endif
