/** Marks of what was handled: a message that comes again, in the same envelope or packed anew, has no second effect. */
import type { DidCommInboundMessageContext, DidCommMessageHandlerMiddleware } from '@credo-ts/didcomm'
import { type Address, envelopeMarkAddress, messageMarkAddress } from '../store/address.ts'
import { epochSeconds, getItems, toKey } from '../store/table.ts'
import { currentUnit } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** Longer than any sender that we know of goes on retrying. */
const SECONDS_KEPT = 7 * 24 * 60 * 60

const opened = new WeakMap<UnitOfWork, InboundMarks>()

/** Thrown by the commit: one of the marks is there already. */
class HandledBefore extends Error {}

/** The marks of one inbound message. They are written with whatever the message changes, or not at all. */
export class InboundMarks {
  /** What goes back by return route: a packed message, or nothing. */
  answer = ''
  readonly #unit: UnitOfWork
  readonly #addresses: Address[] = []

  /** `envelope` is what tells one envelope from any other: its ciphertext and tag. */
  constructor(unit: UnitOfWork, envelope: string) {
    this.#unit = unit
    this.add(envelopeMarkAddress(unit.tenant, envelope))
    opened.set(unit, this)
  }

  add(address: Address): void {
    this.#addresses.push(address)
    this.#unit.beforeCommit(() =>
      this.#unit.create(
        {
          ...toKey(address),
          kind: { S: 'mark' },
          answer: { S: this.answer },
          expiresAt: { N: String(epochSeconds() + SECONDS_KEPT) },
        },
        () => new HandledBefore('the message was handled before'),
      ),
    )
  }

  /** What was answered when the message was handled before; undefined where it was not. */
  async answerGiven(): Promise<string | undefined> {
    const items = await getItems(this.#addresses)
    const [given] = this.#addresses.flatMap(({ pk }) => items.filter((item) => item.pk?.S === pk))
    return given && (given.answer?.S ?? '')
  }
}

/** Credo calls this with every message that it could read, before any handler. */
export const markMessage: DidCommMessageHandlerMiddleware = async (messageContext, next) => {
  const unit = currentUnit()
  opened.get(unit)?.add(messageMarkAddress(unit.tenant, senderOf(messageContext), messageContext.message.id))
  await next()
}

/** A sender chooses its `@id`s, so a mark holds for its key only. */
const senderOf = ({ senderKey, recipientKey }: DidCommInboundMessageContext): string =>
  senderKey?.fingerprint ?? `anonymous to ${recipientKey?.fingerprint}`
