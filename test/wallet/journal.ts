/** A wallet's journal: every message that it received, every problem report, every error. */
import { BaseLogger, LogLevel } from '@credo-ts/core'
import type { DidCommMessage } from '@credo-ts/didcomm'

export interface JournalMessage {
  id: string
  type: string
  threadId: string
}

export interface JournalProblem extends JournalMessage {
  /** Whose: `received` from the agent, `sent` by the wallet. */
  direction: 'received' | 'sent'
  description: string
}

export interface JournalError {
  what: string
  error: unknown
}

export class Journal {
  /** Messages in the order in which the wallet handled them; duplicates included. */
  readonly received: JournalMessage[] = []
  readonly problems: JournalProblem[] = []
  /** Errors in the wallet itself, Credo's own error log included. */
  readonly errors: JournalError[] = []

  /** Called for every error as it happens. */
  onError: (failure: JournalError) => void = () => {}

  /** Credo's logger: it drops everything but errors. */
  readonly logger = new ErrorLogger((what, error) => this.failed(what, error))

  handled(message: DidCommMessage): void {
    this.received.push(entry(message))
    this.#report('received', message)
  }

  sent(message: DidCommMessage): void {
    this.#report('sent', message)
  }

  /** Records an error once, however many layers pass it on. */
  failed(what: string, error: unknown): void {
    if (error instanceof Error && this.errors.some((known) => known.error === error)) return
    this.errors.push({ what, error })
    this.onError({ what, error })
  }

  #report(direction: JournalProblem['direction'], message: DidCommMessage): void {
    if (!message.type.endsWith('/problem-report')) return
    const { description } = message.toJSON()
    this.problems.push({ ...entry(message), direction, description: JSON.stringify(description) })
  }
}

const entry = ({ id, type, threadId }: DidCommMessage): JournalMessage => ({ id, type, threadId })

class ErrorLogger extends BaseLogger {
  readonly #note: Journal['failed']

  constructor(note: Journal['failed']) {
    super(LogLevel.error)
    this.#note = note
  }

  test(): void {}
  trace(): void {}
  debug(): void {}
  info(): void {}
  warn(): void {}

  error(message: string, details?: Record<string, unknown>): void {
    this.#note(message, details instanceof Error ? details : details?.error)
  }

  fatal(message: string, details?: Record<string, unknown>): void {
    this.error(message, details)
  }
}
