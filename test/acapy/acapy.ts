/** An ACA-Py in a process of its own, as a wallet: its admin API, and what the plugin of the suite adds to it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../infra/local/port.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { type Program, startProgram } from '../support/stage/program.ts'
import { waitFor } from '../wallet/wait.ts'
import { WALLET_CONTEXTS } from './contexts.ts'
import { install, type Version } from './install.ts'

export interface AcaPyOptions {
  version: Version
  label: string
  /** It takes answers by return route, and names this as its endpoint; '': its DID document has no service. */
  returnRoute?: '' | 'didcomm:transport/queue'
  /** Address of an indy-vdr-proxy, whose ledger it reads and writes. */
  indyProxy?: string
  /** That of the version by default. */
  walletType?: 'askar-anoncreds'
  /** Further arguments of `aca-py start`. */
  flags?: string[]
}

/** ACA-Py makes a ledger of it, whose requests the plugin posts to the proxy instead of asking a pool. */
const GENESIS = '{"reqSignature":{},"txn":{"data":{}},"txnMetadata":{"seqNo":1},"ver":"1"}'

/** Ms after which a start hangs. It takes some seconds. */
const HANGS_AFTER = 120_000
const MAX_STARTS = 3

/** Others take ports above 20,000: between the choice of ACA-Py's and the time when it listens there are seconds. */
const FIRST_PORT = 10_000

/** The wallets that hold AnonCreds: since 1.7 the format of the same name, before it Indy's alone. */
const WALLET_TYPES: Record<Version, string> = { '1.7.0': 'askar-anoncreds', '1.2.7': 'askar' }

export class AcaPy {
  readonly version: Version
  readonly label: string
  readonly #program: string
  readonly #options: AcaPyOptions
  readonly #home: string
  readonly #adminUrl: string
  readonly #inboundUrl: string
  readonly #arguments: string[]
  #process: Program | undefined
  readonly #logs: string[] = []

  private constructor(program: string, options: AcaPyOptions, home: string, port: number, adminPort: number) {
    this.version = options.version
    this.label = options.label
    this.#program = program
    this.#options = options
    this.#home = home
    this.#adminUrl = `http://127.0.0.1:${adminPort}`
    this.#inboundUrl = `http://127.0.0.1:${port}`
    this.#arguments = [
      'start',
      ...['--inbound-transport', 'http', '127.0.0.1', `${port}`, '--outbound-transport', 'http'],
      ...['--endpoint', this.#inboundUrl, '--label', options.label],
      ...['--admin', '127.0.0.1', `${adminPort}`, '--admin-insecure-mode', '--plugin', 'interop'],
      ...['--wallet-type', options.walletType ?? WALLET_TYPES[options.version]],
      ...['--wallet-name', 'interop', '--wallet-key', 'interop'],
      ...['--auto-provision', '--auto-ping-connection', '--preserve-exchange-records'],
      ...(options.indyProxy === undefined ? ['--no-ledger'] : ['--genesis-transactions', GENESIS]),
      ...(options.flags ?? []),
    ]
  }

  /** Installs it first when it is not there. Throws `NotAvailable`. */
  static async start(options: AcaPyOptions): Promise<AcaPy> {
    const program = await install(options.version)
    const home = await mkdtemp(join(tmpdir(), 'serverless-agent-acapy-'))
    await writeFile(join(home, 'contexts.json'), JSON.stringify(WALLET_CONTEXTS))
    const acapy = new AcaPy(program, options, home, await freePort(FIRST_PORT), await freePort(FIRST_PORT))
    await acapy.up()
    return acapy
  }

  /** All that its processes wrote. */
  get log(): string {
    return [...this.#logs, this.#process?.stdout(), this.#process?.stderr()].join('\n')
  }

  /** Starts the process; what it had stored is still there. One that hangs at its start, as few do, is started again. */
  async up(): Promise<void> {
    for (let starts = 1; ; starts++) {
      const program = this.#spawn()
      const end = performance.now() + HANGS_AFTER
      const isReady = await waitFor(
        `${this.label} to be ready`,
        async () => (await this.#isReady(program)) || (starts < MAX_STARTS && performance.now() > end && 'hangs'),
      )
      if (isReady === true) return
      await this.down('SIGKILL')
    }
  }

  #spawn(): Program {
    const { returnRoute, indyProxy } = this.#options
    const program = startProgram(this.#program, this.#arguments, {
      env: {
        HOME: this.#home,
        PYTHONPATH: join(import.meta.dirname, 'plugin'),
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONUNBUFFERED: '1',
        INTEROP_CONTEXTS: join(this.#home, 'contexts.json'),
        ...(indyProxy !== undefined && { INTEROP_INDY_PROXY: indyProxy }),
        ...(returnRoute !== undefined && { INTEROP_RETURN_ROUTE: returnRoute }),
      },
    })
    this.#process = program
    return program
  }

  /** Ends the process in order, or as a crash would. */
  async down(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const program = this.#process
    if (program === undefined) return
    this.#process = undefined
    program.signal(signal)
    await program.ended()
    this.#logs.push(program.stdout(), program.stderr())
  }

  /** Ends the process immediately. A graceful end would take as long as its last attempts at sending. */
  async stop(): Promise<void> {
    await this.down('SIGKILL')
    await rm(this.#home, { recursive: true, force: true })
  }

  get(path: string): Promise<Json> {
    return this.#ask('GET', path)
  }

  post(path: string, body: unknown = {}): Promise<Json> {
    return this.#ask('POST', path, body)
  }

  put(path: string): Promise<Json> {
    return this.#ask('PUT', path)
  }

  /** Sends any JSON as a message on a connection. */
  sendRaw(connectionId: string, message: object): Promise<Json> {
    return this.post('/interop/send', { connection_id: connectionId, message })
  }

  /** Messages that it was sent, in the order of arrival; `type` is the end of their `@type`, as `basicmessage/1.0/message`. */
  async heard(type: string, connectionId?: string): Promise<Json[]> {
    const query = new URLSearchParams({ type, ...(connectionId !== undefined && { connection_id: connectionId }) })
    return (await this.get(`/interop/received?${query}`)).results
  }

  /** Gives it an envelope as another agent would. */
  async deliver(envelope: string): Promise<void> {
    const headers = { 'content-type': 'application/ssi-agent-wire' }
    const answer = await fetch(this.#inboundUrl, { method: 'POST', headers, body: envelope })
    if (!answer.ok) throw new Error(`ACA-Py answers ${answer.status} to an envelope`)
  }

  /** What it packed: `tag` of the envelope to `@type` of the message, which ends with `type`. */
  async sent(type = ''): Promise<Record<string, string>> {
    return (await this.get(`/interop/sent?${new URLSearchParams({ type })}`)).results
  }

  /** A record of the admin API when it is in one of these states. */
  async recordIn(path: string, ...states: string[]): Promise<Json> {
    let last: Json
    return waitFor(`${path} of the wallet to be ${states.join(' or ')}`, async () => {
      last = await this.get(path)
      return states.includes(last.rfc23_state ?? last.state) && last
    }).catch((error) => {
      const state = last?.rfc23_state ?? last?.state
      throw new Error(`${error.message}: it is ${state}${last?.error_msg ? ` (${last.error_msg})` : ''}`)
    })
  }

  async #isReady(program: Program): Promise<boolean> {
    if (program.hasEnded()) throw new Error(`${this.label} has ended: ${this.log.slice(-2000)}`)
    try {
      return (await this.get('/status/ready')).ready
    } catch {
      return false
    }
  }

  async #ask(method: string, path: string, body?: unknown): Promise<Json> {
    const asked = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${this.#adminUrl}${path}`, { method, headers, ...asked })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`ACA-Py answers ${answer.status} to ${path}: ${text}`)
    return JSON.parse(text)
  }
}
