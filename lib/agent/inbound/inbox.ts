/**
 * Inbox deduplication: a handled message leaves marks, so that its repetition has no effect and gets the same answer,
 * even in a new envelope.
 */
import type { DidCommInboundMessageContext, DidCommMessageHandlerMiddleware } from '@credo-ts/didcomm'
import { AgentError } from '../../errors.ts'
import { defineItem, readItem } from '../../store/item.ts'
import { inKey, integer, optional, text } from '../../store/item-fields.ts'
import { type Address, answerPieceAddress, envelopeMarkAddress, messageMarkAddress } from '../../store/keys.ts'
import { epochSeconds, getItems } from '../../store/table.ts'
import { currentUnit, transaction } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { cannotHandle, type Envelope, UnreadableEnvelopeError } from '../envelopes/index.ts'

/** More than for a request of the API, because the sender of a message may never retry. */
const MAX_REPETITIONS = 10

/** Longer than any known sender retries. In seconds. */
const SECONDS_KEPT = 7 * 24 * 60 * 60

const markItem = defineItem('mark', (address: Address) => address, {
  pk: inKey('pk', text()),
  answer: text(),
  /**
   * Of an answer that is too large for one item: the number of pieces, and their partition, which is that of the
   * envelope's mark.
   */
  pieces: optional(integer()),
  piecesPk: optional(text()),
  expiresAt: integer(),
})

const pieceItem = defineItem('answer-piece', answerPieceAddress, { text: text(), expiresAt: integer() })

/** In characters, which are ASCII; an item may have 400 KB. */
const PIECE = 300 * 1024

/**
 * Handles a tenant's envelope in one transaction, and returns the packed answer, or '' if there is none. If the message
 * was handled before, nothing is committed, and the answer is the stored one. Throws `request.malformed` if this agent
 * can't read or handle it.
 */
export const handleOnce = async (
  tenant: string,
  { ciphertext, tag }: Envelope,
  handle: () => Promise<string>,
): Promise<string> => {
  let marks: InboxMarks | undefined
  try {
    return await transaction(
      tenant,
      async (unit) => {
        // Unique for each packed message.
        marks = new InboxMarks(unit, `${ciphertext}.${tag}`)
        marks.answer = await handle()
        return marks.answer
      },
      MAX_REPETITIONS,
    )
  } catch (error) {
    if (error instanceof AgentError) throw error
    // If the message was handled before, the commit has found a mark, or a handler did not expect the message any more.
    const stored = error instanceof UnreadableEnvelopeError ? undefined : await marks?.storedAnswer()
    if (stored === undefined) throw cannotHandle(error)
    return stored
  }
}

/** The marks of the message that a unit of work handles. */
const marksOf = (unit: UnitOfWork) => unit.slot(markItem, (): { marks?: InboxMarks } => ({}))

/** Thrown by the commit if one of the marks exists. */
class HandledBeforeError extends Error {}

const handled = () => new HandledBeforeError('the message was handled before')

/** The marks of one inbound message. They are committed in the same transaction as its changes. */
class InboxMarks {
  /** The packed message to return in the response; empty if there is none. */
  answer = ''
  readonly #unit: UnitOfWork
  readonly #addresses: Address[] = []
  #forgotten = false
  #piecesWritten = false

  /** `envelope`: what identifies it. */
  constructor(unit: UnitOfWork, envelope: string) {
    this.#unit = unit
    this.add(envelopeMarkAddress(unit.tenant, envelope))
    marksOf(unit).marks = this
  }

  add(address: Address): void {
    this.#addresses.push(address)
    this.#unit.beforeCommit(() => {
      if (this.#forgotten) return
      this.#unit.create(
        markItem.encode({ ...address, ...this.#answerFields(), expiresAt: epochSeconds() + SECONDS_KEPT }),
        handled,
      )
    })
  }

  /** Writes no marks, because the message changes nothing: a repetition is answered from the state at that time. */
  forget(): void {
    this.#forgotten = true
  }

  /** The fields of a mark that hold the answer. */
  #answerFields() {
    const pieces = Math.ceil(this.answer.length / PIECE)
    if (pieces <= 1) return { answer: this.answer }
    const [piecesPk = ''] = this.#addresses.map(({ pk }) => pk)
    if (!this.#piecesWritten) this.#writePieces(piecesPk, pieces)
    this.#piecesWritten = true
    return { answer: '', pieces, piecesPk }
  }

  #writePieces(markPk: string, pieces: number): void {
    for (let number = 1; number <= pieces; number++) {
      const text = this.answer.slice((number - 1) * PIECE, number * PIECE)
      this.#unit.create(pieceItem.encode({ markPk, number, text, expiresAt: epochSeconds() + SECONDS_KEPT }), handled)
    }
  }

  /** The stored answer, if the message was handled before. */
  async storedAnswer(): Promise<string | undefined> {
    const marks = (await getItems(this.#addresses)).map(markItem.decode)
    const [stored] = this.#addresses.flatMap(({ pk }) => marks.filter((mark) => mark.pk === pk))
    if (stored?.pieces === undefined || stored.piecesPk === undefined) return stored?.answer
    const texts: string[] = []
    for (let number = 1; number <= stored.pieces; number++) {
      const piece = await readItem(pieceItem, { markPk: stored.piecesPk, number })
      // Pieces expire at the same time as the mark.
      if (piece === undefined) return undefined
      texts.push(piece.text)
    }
    return texts.join('')
  }
}

/** Leaves no marks of the message that the running unit of work handles: see `InboxMarks.forget`. */
export const forgetMarks = (): void => marksOf(currentUnit()).marks?.forget()

/** Whether a unit of work handles an inbound message. */
export const handlesMessage = (unit: UnitOfWork): boolean => marksOf(unit).marks !== undefined

/**
 * Credo calls this with every decoded message, before the handlers. Requests that are attached to an invitation have no
 * sender.
 */
export const markMessage: DidCommMessageHandlerMiddleware = async (messageContext, next) => {
  const unit = currentUnit()
  if (messageContext.encryptedMessage !== undefined)
    marksOf(unit).marks?.add(messageMarkAddress(unit.tenant, senderOf(messageContext), messageContext.message.id))
  await next()
}

/** Marks are separate for each sender's key, because senders choose their `@id`s. */
const senderOf = ({ senderKey, recipientKey }: DidCommInboundMessageContext): string =>
  senderKey?.fingerprint ?? `anonymous to ${recipientKey?.fingerprint}`
