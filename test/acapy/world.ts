/** All that the scenarios run on: one local stage behind a relay, and ACA-Py processes that are started when the first scenario needs them. */
import { type RunningStage, startStage } from '../support/stage/stage.ts'
import { AcaPy, type AcaPyOptions } from './acapy.ts'
import { OurAgent } from './agent.ts'
import type { Version } from './install.ts'
import { mediate } from './mediation.ts'
import { Relay } from './relay.ts'
import type { Scenario, Scene, WalletKind } from './scenario.ts'

const AUTOMATIC = ['--auto-respond-credential-offer', '--auto-store-credential', '--auto-respond-presentation-request']

export class World {
  readonly #stage: RunningStage
  readonly #relay: Relay
  readonly #shared = new Map<string, Promise<AcaPy>>()
  readonly #started: Promise<AcaPy>[] = []

  private constructor(stage: RunningStage, relay: Relay) {
    this.#stage = stage
    this.#relay = relay
  }

  static async start(): Promise<World> {
    const relay = await Relay.listen()
    const stage = await startStage({ env: { PUBLIC_URL: relay.url } })
    relay.leadTo(stage.baseUrl)
    return new World(stage, relay)
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
    await Promise.allSettled([...wallets, this.#stage.stop(), this.#relay.stop()])
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
          return this.#start({ version, label: 'Automatic wallet', flags: AUTOMATIC })
        case 'shared':
          return this.#start({ version, label: 'Shared wallet' })
      }
    })
  }

  #mediator(version: Version): Promise<AcaPy> {
    const flags = ['--open-mediation', '--monitor-forward']
    return this.#once(`mediator ${version}`, () => this.#start({ version, label: 'Mediator', flags }))
  }

  async #mediated(version: Version): Promise<AcaPy> {
    const [mediator, wallet] = await Promise.all([
      this.#mediator(version),
      this.#start({ version, label: 'Mediated wallet' }),
    ])
    await mediate(wallet, mediator)
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
