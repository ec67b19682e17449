import { createContext, useContext } from 'react';
import type { Engine } from '../../app/contract/engine.ts';

const EngineContext = createContext<Engine | null>(null);

export const EngineProvider = EngineContext.Provider;

export function useEngine(): Engine {
  const engine = useContext(EngineContext);
  if (engine === null) throw new Error('useEngine outside EngineProvider');
  return engine;
}
