/** AWS on this machine: moto's server in a separate process, and a test's settings of the account. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, LOOPBACK } from '../../infra/local/port.ts'
import { type Program, startProgram } from '../support/stage/program.ts'
import { waitFor } from '../wallet/wait.ts'
import { install } from './install.ts'

const REGION = 'eu-central-1'

/** What emulator/emulated_aws.py reads before each call. */
interface AccountSettings {
  /** Concurrent functions of the account. */
  concurrency: number
  /** Id in the template of a resource that can't be made or changed. */
  fails?: string
  /** Seconds until a failed stack rolls back; it reports the rollback meanwhile. */
  rollback?: number
}

export class EmulatedAws {
  readonly endpoint: string
  readonly #folder: string
  readonly #program: Program

  private constructor(endpoint: string, folder: string, program: Program) {
    this.endpoint = endpoint
    this.#folder = folder
    this.#program = program
  }

  /** A new account, which runs ten functions concurrently. Throws `NotAvailable`. */
  static async start(): Promise<EmulatedAws> {
    const python = await install()
    const folder = await mkdtemp(join(tmpdir(), 'serverless-agent-aws-'))
    const port = await freePort()
    await writeFile(join(folder, 'account.json'), JSON.stringify({ concurrency: 10 }))
    const script = join(import.meta.dirname, 'emulator', 'emulated_aws.py')
    const program = startProgram(python, [script, '--host', LOOPBACK, '--port', `${port}`], {
      // cfn-lint writes a file where it stands.
      cwd: folder,
      env: {
        ...{ EMULATED_AWS: join(folder, 'account.json'), PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' },
        // Seconds until a certificate is issued.
        MOTO_ACM_VALIDATION_WAIT: '0',
      },
    })
    const aws = new EmulatedAws(`http://${LOOPBACK}:${port}`, folder, program)
    await waitFor('the emulated AWS to answer', () => aws.#answers())
    return aws
  }

  /** The environment of an operator who deploys. */
  get environment(): Record<string, string> {
    return {
      AWS_ENDPOINT_URL: this.endpoint,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'emulated',
      AWS_SECRET_ACCESS_KEY: 'emulated',
      AWS_EC2_METADATA_DISABLED: 'true',
    }
  }

  /** For clients of the SDK. */
  get clientConfig() {
    return {
      endpoint: this.endpoint,
      region: REGION,
      credentials: { accessKeyId: 'emulated', secretAccessKey: 'emulated' },
    }
  }

  /** From the next call on. */
  async set(settings: AccountSettings): Promise<void> {
    await writeFile(join(this.#folder, 'account.json'), JSON.stringify(settings))
  }

  get log(): string {
    return `${this.#program.stdout()}\n${this.#program.stderr()}`
  }

  async stop(): Promise<void> {
    this.#program.signal('SIGTERM')
    await this.#program.ended()
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #answers(): Promise<boolean> {
    if (this.#program.hasEnded()) throw new Error(`moto has ended: ${this.log.slice(-2000)}`)
    try {
      return (await fetch(`${this.endpoint}/moto-api/data.json`)).ok
    } catch {
      return false
    }
  }
}
