/** The result of `serverless package`: the template that is deployed, and the functions as Serverless read them. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { COMPILED } from '../../../infra/local/compile-cache.ts'
import type { FunctionDefinition, Resource } from '../../../infra/service.ts'
import { serviceFolder } from './folder.ts'
import { runProgram } from './program.ts'

export interface PackagedService {
  functions: Record<string, FunctionDefinition>
  /** Seconds, of a function without an own timeout. */
  timeout: number
  resources: Record<string, Resource>
  /** Of the uploaded template. */
  templateBytes: number
}

/** In place of infra/plugins/bundle.ts: an empty zip for each function, since bundling takes a second for each. */
const NO_BUNDLES = `
import { writeFileSync } from 'node:fs'
export default class {
  constructor({ service }) {
    this.hooks = {
      'before:package:createDeploymentArtifacts': () => {
        writeFileSync('empty.zip', Buffer.from('504b0506' + '00'.repeat(18), 'hex'))
        for (const definition of Object.values(service.functions)) definition.package = { artifact: 'empty.zip' }
      },
    }
  }
}`

/** Tests only read what was packaged, so those with the same settings share it. */
const packaged = new Map<string, Promise<PackagedService>>()

/** Packages the service for the stage `dev`, or as `args` say, with these settings. */
export const packageService = (settings: Record<string, string> = {}, ...args: string[]): Promise<PackagedService> => {
  const key = JSON.stringify([settings, args])
  const service = packaged.get(key) ?? packageChanged({}, settings, ...args)
  packaged.set(key, service)
  return service
}

/** As `packageService`, with other texts in some of its files, by path. */
export const packageChanged = async (
  files: Record<string, string>,
  settings: Record<string, string>,
  ...args: string[]
): Promise<PackagedService> => {
  await using folder = await serviceFolder({ 'infra/plugins/bundle.ts': NO_BUNDLES, ...files })
  const serverless = resolve('node_modules/serverless/bin/serverless.js')
  const { code, stdout, stderr } = await runProgram(
    process.execPath,
    [serverless, 'package', '--package', 'packaged', ...args],
    { cwd: folder.path, env: { SLS_LOG_LEVEL: 'error', NODE_COMPILE_CACHE: COMPILED, ...settings } },
  )
  if (code !== 0) throw new Error(`serverless package ended with ${code}: ${stdout}${stderr}`)
  const read = async (name: string) => JSON.parse(await readFile(join(folder.path, 'packaged', name), 'utf8'))
  const { service } = await read('serverless-state.json')
  const template = await read('cloudformation-template-update-stack.json')
  return {
    functions: service.functions,
    timeout: service.provider.timeout,
    resources: template.Resources,
    templateBytes: Buffer.byteLength(JSON.stringify(template)),
  }
}

export { ofType } from '../../../infra/service.ts'
