/** Inbox deduplication: marks of handled messages. A repeated message, in the same envelope or a new one, has no second effect. */
import type { DidCommInboundMessageContext, DidCommMessageHandlerMiddleware } from '@credo-ts/didcomm'
import { defineItem } from '../store/item.ts'
import { inKey, integer, text } from '../store/item-fields.ts'
import { type Address, envelopeMarkAddress, messageMarkAddress } from '../store/keys.ts'
import { epochSeconds, getItems } from '../store/table.ts'
import { currentUnit } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** Longer than any known sender retries. In seconds. */
const SECONDS_KEPT = 7 * 24 * 60 * 60

const markItem = defineItem('mark', (address: Address) => address, {
  pk: inKey('pk', text()),
  answer: text(),
  expiresAt: integer(),
})

/** The marks of the message that a unit of work handles. */
const marksOf = (unit: UnitOfWork) => unit.slot(markItem, (): { marks?: InboundMarks } => ({}))

/** Thrown by the commit where one of the marks exists already. */
class HandledBefore extends Error {}

/** The marks of one inbound message. They are committed in the same transaction as its changes. */
export class InboundMarks {
  /** What goes back by return route: a packed message, or nothing. */
  answer = ''
  readonly #unit: UnitOfWork
  readonly #addresses: Address[] = []

  /** `envelope`: the ciphertext and tag, which identify an envelope. */
  constructor(unit: UnitOfWork, envelope: string) {
    this.#unit = unit
    this.add(envelopeMarkAddress(unit.tenant, envelope))
    marksOf(unit).marks = this
  }

  add(address: Address): void {
    this.#addresses.push(address)
    this.#unit.beforeCommit(() =>
      this.#unit.create(
        markItem.encode({ ...address, answer: this.answer, expiresAt: epochSeconds() + SECONDS_KEPT }),
        () => new HandledBefore('the message was handled before'),
      ),
    )
  }

  /** The answer of the first time, where the message was handled before. */
  async answerGiven(): Promise<string | undefined> {
    const marks = (await getItems(this.#addresses)).map(markItem.decode)
    const [given] = this.#addresses.flatMap(({ pk }) => marks.filter((mark) => mark.pk === pk))
    return given?.answer
  }
}

/** Credo calls this with every message that it could read, before any handler. What is attached to an invitation has no sender. */
export const markMessage: DidCommMessageHandlerMiddleware = async (messageContext, next) => {
  const unit = currentUnit()
  if (messageContext.encryptedMessage !== undefined)
    marksOf(unit).marks?.add(messageMarkAddress(unit.tenant, senderOf(messageContext), messageContext.message.id))
  await next()
}

/** Senders choose their `@id`s, so a mark is valid for one sender's key only. */
const senderOf = ({ senderKey, recipientKey }: DidCommInboundMessageContext): string =>
  senderKey?.fingerprint ?? `anonymous to ${recipientKey?.fingerprint}`
