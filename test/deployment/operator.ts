/** The operator who deploys: the README's commands, with the emulated AWS's credentials and the settings of a stage. */
import { cp } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { COMPILED } from '../../infra/local/compile-cache.ts'
import { serviceFolder } from '../support/stage/folder.ts'
import { startProgram } from '../support/stage/program.ts'
import { waitFor } from '../wallet/wait.ts'
import type { EmulatedAws } from './emulator.ts'

export interface Ended {
  code: number
  /** Both of its outputs. */
  output: string
}

export const STAGE = 'prod'

/** Ms after which a command hangs: to package all functions takes a quarter of an hour on a busy machine. */
const COMMAND = 40 * 60_000

export const ISSUER = 'https://id.example.org'
const PUBLIC_KEY = { kty: 'OKP', crv: 'Ed25519', kid: 'a', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
/** By which the issuer signs; an example of RFC 8037, appendix A.1. */
export const PRIVATE_KEY = { ...PUBLIC_KEY, d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' }

const ISSUER_SETTINGS = { issuer: ISSUER, audience: 'serverless-agent', jwks: { keys: [PUBLIC_KEY] } }
/** The issuer with its address, whose keys no step fetches. */
export const WITH_ADDRESS = { TOKEN_ISSUERS: JSON.stringify([{ ...ISSUER_SETTINGS, jwksUri: `${ISSUER}/jwks` }]) }

const SETTINGS = {
  TOKEN_ISSUERS: JSON.stringify([ISSUER_SETTINGS]),
  PUBLIC_URL: 'https://agent.example.org',
}

/** In place of infra/plugins/bundle.ts: reuses the zips of the first deployment. */
const MADE_BUNDLES = `
import { cpSync } from 'node:fs'
import { join } from 'node:path'
export default class {
  constructor({ service, serviceDir, processedInput }) {
    this.hooks = {
      'before:package:createDeploymentArtifacts': () => {
        if (processedInput.commands[0] === 'check') return
        cpSync(join(serviceDir, 'zips'), join(serviceDir, '.serverless'), { recursive: true })
        for (const [key, definition] of Object.entries(service.functions)) {
          definition.package = { artifact: join('.serverless', key + '.zip') }
          definition.handler = 'index.' + definition.handler.split('.').at(-1)
        }
      },
    }
  }
}`

export class Operator {
  readonly #aws: EmulatedAws
  readonly #folder: { path: string } & AsyncDisposable

  private constructor(aws: EmulatedAws, folder: { path: string } & AsyncDisposable) {
    this.#aws = aws
    this.#folder = folder
  }

  static async at(aws: EmulatedAws): Promise<Operator> {
    return new Operator(aws, await serviceFolder({ 'infra/plugins/bundle.ts': MADE_BUNDLES }))
  }

  /** `npm run deploy -- --stage prod`, which bundles all functions. */
  async deployFromSource(settings: Record<string, string> = {}): Promise<Ended> {
    const ended = await this.#run('npm', ['run', 'deploy', '--', '--stage', STAGE], resolve('.'), settings)
    // Any other command of Serverless there deletes them.
    await cp('.serverless', join(this.#folder.path, 'zips'), { recursive: true })
    return ended
  }

  /** The same with the existing bundles. */
  deploy(settings: Record<string, string> = {}): Promise<Ended> {
    return this.#serverless(['deploy', '--stage', STAGE], settings)
  }

  remove(): Promise<Ended> {
    return this.#serverless(['remove', '--stage', STAGE], {})
  }

  info(): Promise<Ended> {
    return this.#serverless(['info', '--stage', STAGE], {})
  }

  package(): Promise<Ended> {
    return this.#serverless(['package', '--stage', STAGE], {})
  }

  /** `npm run redrive -- --stage prod` */
  redrive(): Promise<Ended> {
    return this.#run('npm', ['run', 'redrive', '--', '--stage', STAGE], resolve('.'), {})
  }

  /** `npm run doctor -- --stage prod --json`: what it found that is not ok. */
  async doctor(settings: Record<string, string> = {}): Promise<{ code: number; lines: string[] }> {
    const { code, output } = await this.#serverless(['check', '--stage', STAGE, '--json'], settings)
    const { findings } = JSON.parse(output.slice(output.indexOf('{\n'), output.lastIndexOf('}') + 1))
    const lines = findings.flatMap(({ check, status, message }: Record<string, string>) =>
      status === 'ok' ? [] : [`${status} ${check}: ${message}`],
    )
    return { code, lines }
  }

  stop(): Promise<void> {
    return Promise.resolve(this.#folder[Symbol.asyncDispose]())
  }

  #serverless(args: string[], settings: Record<string, string>): Promise<Ended> {
    const program = resolve('node_modules/serverless/bin/serverless.js')
    return this.#run(process.execPath, [program, ...args], this.#folder.path, settings)
  }

  async #run(program: string, args: string[], cwd: string, settings: Record<string, string>): Promise<Ended> {
    const own = { SLS_AWS_MONITORING_FREQUENCY: '200', NODE_COMPILE_CACHE: COMPILED }
    const env = { ...own, ...this.#aws.environment, ...SETTINGS, ...settings }
    const started = startProgram(program, args, { cwd, env })
    const ended = await waitFor(`${args.join(' ')} to end`, () => started.hasEnded() && started.ended(), COMMAND)
    return { code: ended.code ?? 1, output: `${ended.stdout}${ended.stderr}` }
  }
}
