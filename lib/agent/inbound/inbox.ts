/**
 * Inbox deduplication: each handled message has a mark, so that its repetition has no effect and gets the same
 * response, in the same envelope or a new one (docs/adr/0035-fewer-items.md).
 */
import type {
  DidCommEncryptedMessage,
  DidCommMessageHandlerMiddleware,
  DidCommInboundMessageContext as Inbound,
} from '@credo-ts/didcomm'
import { AgentError, isAgentError } from '../../errors.ts'
import { isRetryable } from '../../store/aws-errors.ts'
import { defineItem, readItem } from '../../store/item.ts'
import { integer, packedText } from '../../store/item-fields.ts'
import { type Address, messageMarkAddress } from '../../store/keys.ts'
import { joinResponse, piecesField, splitResponse } from '../../store/stored-responses.ts'
import { epochSeconds } from '../../store/table.ts'
import { currentUnit, transaction } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { cannotHandleError, readHeader } from '../envelopes/index.ts'

/** More than for a request of the API, because the sender of a message may never retry. */
const MAX_RETRIES = 10

/** Longer than any known sender retries. In seconds. */
const RETENTION_SECONDS = 7 * 24 * 60 * 60

const markItem = defineItem(
  'mark',
  (address: Address) => address,
  {
    answer: packedText(),
    pieces: piecesField,
    expiresAt: integer(),
  },
  'expiry',
)

/**
 * Handles an envelope of a tenant in one transaction. If the message was handled before, nothing is committed, and the
 * stored response is returned: a packed message, or '' if there was none. Throws `request.malformed` if this
 * agent can't read or handle it.
 */
export const handleOnce = async <T>(
  tenant: string,
  handle: (unit: UnitOfWork) => Promise<T>,
  responseWith: (packed: string) => T,
): Promise<T> => {
  let mark: InboxMark | undefined
  try {
    return await transaction(
      tenant,
      (unit) => {
        mark = new InboxMark(unit)
        return handle(unit)
      },
      MAX_RETRIES,
    )
  } catch (error) {
    if (isRetryable(error) || isAgentError(error, 'quota.exceeded')) throw error
    // If the message was handled before, the mark exists, or a handler no longer expected the message, or the queue for
    // responses was full.
    const stored = await mark?.storedResponse()
    if (stored !== undefined) return responseWith(stored)
    throw error instanceof AgentError ? error : cannotHandleError(error)
  }
}

/** The mark of the message that a unit of work handles. */
const markOf = (unit: UnitOfWork) => unit.moduleState(markItem, (): { mark?: InboxMark } => ({}))

/** Thrown by the commit if the mark exists. */
class HandledBeforeError extends Error {}

/** The mark of one inbound message. It is committed in the same transaction as the message's changes. */
class InboxMark {
  /** A packed message; empty if there is none. */
  response = ''
  /** Absent until the message is decrypted and parsed: nothing is written before that. */
  address: Address | undefined
  readonly #unit: UnitOfWork
  #isSkipped = false

  constructor(unit: UnitOfWork) {
    this.#unit = unit
    markOf(unit).mark = this
    unit.beforeCommit(() => this.#write())
  }

  /** Writes no mark, because the message changes nothing: the response to a repetition shows the state at that time. */
  skip(): void {
    this.#isSkipped = true
  }

  #write(): void {
    if (this.address === undefined || this.#isSkipped) return
    const expiresAt = epochSeconds() + RETENTION_SECONDS
    const { stored, pieces } = splitResponse(this.address, this.response, expiresAt)
    for (const item of [markItem.encode({ ...this.address, ...stored, expiresAt }), ...pieces])
      this.#unit.create(item, () => new HandledBeforeError('the message was handled before'))
  }

  /** The stored response, if the message was handled before. */
  async storedResponse(): Promise<string | undefined> {
    const stored = this.address && (await readItem(markItem, this.address))
    return this.address && stored && joinResponse(this.address, stored, { load: readItem })
  }
}

/** Writes no mark of the message that the running unit of work handles: see `InboxMark.forget`. */
export const skipMark = (): void => markOf(currentUnit()).mark?.skip()

/** Sets the response to the message that the running unit of work handles: a packed message, or '' for none. */
export const respondWith = (packed: string): string => {
  const { mark } = markOf(currentUnit())
  if (mark !== undefined) mark.response = packed
  return packed
}

/** Whether a unit of work handles an inbound message. */
export const handlesMessage = (unit: UnitOfWork): boolean => markOf(unit).mark !== undefined

/**
 * Credo calls this with every decoded message, before the handlers. Requests that are attached to an invitation have no
 * sender.
 */
export const markMessage: DidCommMessageHandlerMiddleware = async ({ encryptedMessage, senderKey, message }, next) => {
  const unit = currentUnit()
  const { mark } = markOf(unit)
  if (mark !== undefined && encryptedMessage !== undefined)
    mark.address = messageMarkAddress(unit.tenant, senderOf(senderKey, encryptedMessage), message.id)
  await next()
}

/**
 * Marks are separate for each sender's key, because senders choose their `@id`s. Anonymous senders are distinguished
 * by all keys that the envelope names: which of them decrypts it depends on the keys that a process has in memory.
 */
const senderOf = (senderKey: Inbound['senderKey'], envelope: DidCommEncryptedMessage): string =>
  senderKey?.fingerprint ?? `anonymous to ${readHeader(envelope).recipients.map(({ header }) => header.kid)}`
