import { Component, type ReactNode } from 'react';
import { EngineError } from '../../app/contract/error.ts';
import { QueryError } from './query-error.tsx';

interface Props {
  /** A fault belongs to one place: another key starts anew. */
  readonly place: string;
  readonly children: ReactNode;
}

interface State {
  readonly fault: EngineError | null;
  readonly place: string;
}

/** Keeps a fault in one view from taking the window down: the view says what happened, the rest goes on. */
export class ViewGuard extends Component<Props, State> {
  override state: State = { fault: null, place: this.props.place };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    const details = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    return {
      fault: new EngineError({
        code: 'view-failed',
        message: `This view could not be drawn (${details}).`,
        remedy: 'Go to another view and come back; the trace itself is untouched.',
        position: null,
      }),
    };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.place === state.place ? null : { place: props.place, fault: null };
  }

  override render(): ReactNode {
    return this.state.fault === null ? this.props.children : <QueryError error={this.state.fault} />;
  }
}
