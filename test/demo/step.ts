/** What a step of the demo is, and how one is played: a request to the service, or something that the wallet does or the receiver has. */
import { partialDeepStrictEqual } from 'node:assert/strict'
import type { Role } from '../../lib/auth/grants.ts'
import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

/** Tenants of the story, whose ids are noted as `tenantId` (the university's), `studentId` and `employerId`. */
type Party = 'tenant' | 'student' | 'employer'

/** A request over HTTP. `{name}` in path, body and `holds` stands for what an earlier step noted. */
export interface RequestStep {
  title: string
  /** Method and path. */
  request: `${'GET' | 'POST'} /${string}`
  /** Whose token; none: the request bears none. */
  token?: 'root' | Party
  /** A function makes it when it is sent: it may tell the time. */
  body?: unknown
  /** 200 unless said. */
  status?: number
  /** What the answer has to contain. */
  holds?: unknown
  /** The answer comes to hold this in time: the request is repeated until then. */
  eventually?: true
  /** Paths in the answer that are shown; all of it unless said. */
  show?: string[]
  /** What to note of the answer: name to path in it. */
  note?: Record<string, string>
}

/** Something that the wallet does. What it resolves to is shown. */
export interface WalletStep {
  title: string
  wallet: (wallet: Wallet, noted: (name: string) => string) => Promise<unknown>
  /** What to note of it: name to path in it. */
  note?: Record<string, string>
}

/** Something that the webhook receiver has heard. What it resolves to is shown. */
export interface ReceiverStep {
  title: string
  receiver: (receiver: WebhookReceiver, noted: (name: string) => string) => Promise<unknown>
  /** What to note of it: name to path in it. */
  note?: Record<string, string>
}

export type Step = RequestStep | WalletStep | ReceiverStep

/** What the demo asks of a stage. */
export interface DemoStage {
  baseUrl: string
  token(claims: { role: Role; tenantId?: string; organizations?: Record<string, string[]> }): Promise<string>
}

export interface Played {
  /** What was asked, as it was sent. */
  asked: string
  body?: unknown
  /** HTTP status; none for what the wallet did. */
  status?: number
  answer: unknown
  /** Of the answer, all of it unless said. */
  shown?: unknown
}

export class Scene {
  readonly #stage: DemoStage
  readonly #wallet: Wallet
  readonly #receiver: WebhookReceiver
  readonly #notes: Map<string, string>

  constructor(stage: DemoStage, wallet: Wallet, receiver: WebhookReceiver) {
    this.#stage = stage
    this.#wallet = wallet
    this.#receiver = receiver
    this.#notes = new Map([
      ['walletDid', wallet.did],
      ['receiverUrl', receiver.url],
    ])
  }

  /** Plays a step. Rejects if it does not hold. */
  async play(step: Step): Promise<Played> {
    const played = 'request' in step ? await this.#request(step) : await this.#act(step)
    for (const [name, path] of Object.entries(step.note ?? {})) {
      const value = valueAt(played.answer, path)
      if (typeof value !== 'string') throw new Error(`the answer has no ${path}`)
      this.#notes.set(name, value)
    }
    return played
  }

  async #act(step: WalletStep | ReceiverStep): Promise<Played> {
    return 'wallet' in step
      ? { asked: 'the wallet', answer: await step.wallet(this.#wallet, this.#noted) }
      : { asked: 'the receiver', answer: await step.receiver(this.#receiver, this.#noted) }
  }

  async #request(step: RequestStep): Promise<Played> {
    if (!step.eventually) return this.#check(step, await this.#send(step))
    let last: Played | undefined
    const attempt = async () => {
      last = await this.#send(step)
      try {
        return this.#check(step, last)
      } catch {
        return undefined
      }
    }
    // When the time is over, the last answer says best what is missing.
    return waitFor(step.title, attempt).catch((error) => {
      if (last) this.#check(step, last)
      throw error
    })
  }

  #check({ status = 200, holds = {} }: RequestStep, played: Played): Played {
    if (played.status !== status) {
      throw new Error(`expected ${status}, got ${played.status}: ${JSON.stringify(played.answer)}`)
    }
    partialDeepStrictEqual(played.answer, this.#fill(holds))
    return played
  }

  async #send({ request, token, body, show }: RequestStep): Promise<Played> {
    const asked = this.#fillText(request)
    const [method = '', path = ''] = asked.split(' ')
    const filled = body === undefined ? undefined : this.#fill(typeof body === 'function' ? body() : body)
    const response = await fetch(`${this.#stage.baseUrl}${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${await this.#token(token)}` }),
        ...(filled !== undefined && { 'content-type': 'application/json' }),
      },
      ...(filled !== undefined && { body: JSON.stringify(filled) }),
    })
    const answer = parse(await response.text())
    const picked = show?.map((path) => [path, valueAt(answer, path)] as const)
    const shown = picked && Object.fromEntries(picked.filter(([, value]) => value !== undefined))
    return { asked, body: filled, status: response.status, answer, shown }
  }

  /** Root may do everything; others act in their tenant, and the university's owner also manages its organization. */
  #token(whose: 'root' | Party): Promise<string> {
    if (whose === 'root') return this.#stage.token({ role: 'RestRootAgentWithTenants' })
    const organizations = whose === 'tenant' ? { [this.#noted('orgId')]: ['owner'] } : {}
    return this.#stage.token({ role: 'RestTenantAgent', tenantId: this.#noted(`${whose}Id`), organizations })
  }

  readonly #noted = (name: string): string => {
    const value = this.#notes.get(name)
    if (value === undefined) throw new Error(`no earlier step noted ${name}`)
    return value
  }

  #fill(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (_key, part) => (typeof part === 'string' ? this.#fillText(part) : part))
  }

  #fillText(text: string): string {
    return text.replace(/\{(\w+)\}/g, (_match, name) => this.#noted(name))
  }
}

/** What is at a path such as `0.id`; undefined where there is nothing. */
const valueAt = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((part, key) => Object(part)[key], value)

/** JSON as a value, and whatever else a broken stage answers as it is. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
