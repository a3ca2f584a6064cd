/** All that the scenarios run on: one local stage behind a relay, and ACA-Py processes that are started when the first scenario needs them. */
import { type IndyProxy, startIndyProxy } from '../support/anoncreds/indy-proxy.ts'
import { type RunningStage, startStage } from '../support/stage/stage.ts'
import { AcaPy, type AcaPyOptions } from './acapy.ts'
import { OurAgent } from './agent.ts'
import type { Version } from './install.ts'
import { type Issuer, makeIssuer, NAMESPACE } from './issuer.ts'
import { mediate } from './mediation.ts'
import { Relay } from './relay.ts'
import type { Scenario, Scene, WalletKind } from './scenario.ts'
import { startTailsServer, type TailsServer } from './tails-server.ts'
import { makeWalletIssuer, type WalletIssuer } from './wallet-issuer.ts'

const AUTOMATIC = ['--auto-respond-credential-offer', '--auto-store-credential', '--auto-respond-presentation-request']

/** Its DID follows from the seed. */
const ISSUING = ['--seed', '000000000000000000000000Issuer01']

export class World {
  readonly #stage: RunningStage
  readonly #relay: Relay
  readonly #ledger: IndyProxy
  readonly #tails: TailsServer
  readonly #shared = new Map<string, Promise<AcaPy>>()
  readonly #started: Promise<AcaPy>[] = []
  #issuer: Promise<Issuer> | undefined
  #walletIssuer: Promise<WalletIssuer> | undefined

  private constructor(stage: RunningStage, relay: Relay, ledger: IndyProxy, tails: TailsServer) {
    this.#stage = stage
    this.#relay = relay
    this.#ledger = ledger
    this.#tails = tails
  }

  static async start(): Promise<World> {
    const relay = await Relay.listen()
    const ledger = await startIndyProxy()
    const INDY_PROXIES = JSON.stringify({ [NAMESPACE]: ledger.address })
    const stage = await startStage({ env: { PUBLIC_URL: relay.url, INDY_PROXIES } })
    relay.leadTo(stage.baseUrl)
    return new World(stage, relay, ledger, await startTailsServer())
  }

  /** What a scenario is played with. */
  async scene(
    { name, agent: who = 'tenant', wallet = 'shared', repeated = false }: Scenario,
    version: Version,
  ): Promise<Scene> {
    const agent = who === 'base' ? OurAgent.base(this.#stage) : await OurAgent.tenant(this.#stage, name)
    const path = agent.didcommPath
    if (repeated) this.#relay.repeat(path)
    return {
      agent,
      acapy: await this.#wallet(wallet, version),
      deliveries: () => this.#relay.deliveredTo(path),
      deliverAgain: () => this.#relay.deliverAgain(path),
      anotherWallet: () => this.#once(`another ${version}`, () => this.#start({ version, label: 'Another wallet' })),
      mediator: () => this.#mediator(version),
      walletIssuer: () => this.#sharedWalletIssuer(),
      issuer: () => this.#sharedIssuer(),
    }
  }

  /** What each process wrote, by its name. */
  async logs(): Promise<Record<string, string>> {
    const settled = await Promise.allSettled(this.#started)
    const wallets = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    return {
      stage: this.#stage.output(),
      ...Object.fromEntries(
        wallets.map(({ label, version, log }) => [`${label} ${version}`.replaceAll(' ', '-'), log]),
      ),
    }
  }

  async stop(): Promise<void> {
    const wallets = this.#started.map((starting) => starting.then((acapy) => acapy.stop()))
    await Promise.allSettled([...wallets, this.#stage.stop(), this.#relay.stop(), this.#ledger.stop()])
    this.#tails.stop()
  }

  #wallet(kind: WalletKind, version: Version): Promise<AcaPy> {
    if (kind === 'own') return this.#start({ version, label: 'Own wallet' })
    return this.#once(`${kind} ${version}`, () => {
      switch (kind) {
        case 'silent':
          return this.#start({ version, label: 'Silent wallet', returnRoute: '' })
        case 'queue':
          return this.#start({ version, label: 'Queue wallet', returnRoute: 'didcomm:transport/queue' })
        case 'mediated':
          return this.#mediated(version)
        case 'automatic':
          return this.#start({ version, label: 'Automatic wallet', indyProxy: this.#ledger.address, flags: AUTOMATIC })
        case 'ledger':
          return this.#start({ version, label: 'Ledger wallet', indyProxy: this.#ledger.address })
        case 'anoncreds':
          return this.#start({
            version,
            label: 'AnonCreds wallet',
            indyProxy: this.#ledger.address,
            walletType: 'askar-anoncreds',
          })
        case 'public':
          return this.#public(version)
        case 'shared':
          return this.#start({ version, label: 'Shared wallet' })
      }
    })
  }

  #mediator(version: Version): Promise<AcaPy> {
    const flags = ['--open-mediation', '--monitor-forward']
    return this.#once(`mediator ${version}`, () => this.#start({ version, label: 'Mediator', flags }))
  }

  #sharedWalletIssuer(): Promise<WalletIssuer> {
    this.#walletIssuer ??= this.#start({
      version: '1.7.0',
      label: 'Issuing wallet',
      indyProxy: this.#ledger.address,
      flags: [...ISSUING, '--tails-server-base-url', this.#tails.url],
    }).then(makeWalletIssuer)
    return this.#walletIssuer
  }

  #sharedIssuer(): Promise<Issuer> {
    this.#issuer ??= OurAgent.tenant(this.#stage, 'Issuer').then((agent) => makeIssuer(agent, this.#ledger))
    return this.#issuer
  }

  async #mediated(version: Version): Promise<AcaPy> {
    const [mediator, wallet] = await Promise.all([
      this.#mediator(version),
      this.#start({ version, label: 'Mediated wallet' }),
    ])
    await mediate(wallet, mediator)
    return wallet
  }

  async #public(version: Version): Promise<AcaPy> {
    const flags = ['--public-invites', '--requests-through-public-did']
    const wallet = await this.#start({ version, label: 'Public wallet', flags })
    const { result } = await wallet.post('/wallet/did/create', { method: 'did:peer:4' })
    await wallet.post(`/wallet/did/public?did=${encodeURIComponent(result.did)}`)
    return wallet
  }

  #once(name: string, make: () => Promise<AcaPy>): Promise<AcaPy> {
    const made = this.#shared.get(name) ?? make()
    this.#shared.set(name, made)
    return made
  }

  #start(options: AcaPyOptions): Promise<AcaPy> {
    const starting = AcaPy.start(options)
    this.#started.push(starting)
    return starting
  }
}
