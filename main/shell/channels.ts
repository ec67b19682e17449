/** The names under which preload and main talk; nothing else is registered. */
export const CHANNELS = {
  call: 'strata:call',
  cancel: 'strata:cancel',
  progress: 'strata:progress',
  engineRestarted: 'strata:engineRestarted',
  pickFiles: 'strata:pickFiles',
  openRequest: 'strata:openRequest',
  /** The page says that it listens for open requests. */
  listening: 'strata:listening',
  language: 'strata:language',
} as const;
