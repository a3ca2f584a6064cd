/**
 * Serverless plugin: a stage with TENANT_RATE has its usage plan and the plan's API keys in a nested stack
 * (docs/adr/0018). Runs after gateway.ts.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeployingServerless } from '../deployment/serverless.ts'
import {
  PLAN,
  prefixOfStack,
  type RatesTemplate,
  ratesKeyOf,
  ratesStack,
  ratesTemplate,
  STACK,
  setRateKeyPrefix,
} from '../gateway/rate-keys.ts'

export default class TenantRates {
  readonly hooks: Record<string, () => Promise<void> | void>
  readonly #serverless: DeployingServerless

  constructor(serverless: DeployingServerless) {
    this.#serverless = serverless
    this.hooks = {
      'after:aws:package:finalize:mergeCustomProviderResources': () => this.#nest(),
      'after:aws:deploy:deploy:uploadArtifacts': () => this.#upload(),
    }
  }

  /** File of the nested template, beside the stack's own, so that Serverless copies it with `--package` too. */
  get #file(): string {
    return join(this.#serverless.serviceDir, '.serverless', 'cloudformation-template-tenant-rates.json')
  }

  /**
   * Folder in the bucket of deployments, apart from the artifacts of a deployment, of which Serverless keeps only the
   * last five.
   */
  get #folder(): string {
    const { service, provider } = this.#serverless.service
    return `${this.#serverless.getProvider('aws').getDeploymentPrefix()}/${service}/${provider.stage}`
  }

  #nest = async (): Promise<void> => {
    const { custom, provider } = this.#serverless.service
    const { Resources } = provider.compiledCloudFormationTemplate
    setRateKeyPrefix(Resources, custom.rateKeyPrefix)
    const { [PLAN]: plan } = Resources
    if (plan === undefined) return
    delete Resources[PLAN]
    const template = ratesTemplate(plan)
    Resources[STACK] = ratesStack(ratesKeyOf(this.#folder, template), prefixOfStack(custom.rateKeyPrefix))
    await mkdir(join(this.#file, '..'), { recursive: true })
    await writeFile(this.#file, JSON.stringify(template))
  }

  #upload = async (): Promise<void> => {
    const { provider } = this.#serverless.service
    if (!(STACK in provider.compiledCloudFormationTemplate.Resources)) return
    const Body = await readFile(this.#file, 'utf8')
    const template: RatesTemplate = JSON.parse(Body)
    const { PutObjectCommand, S3Client } = await import('@aws-sdk/client-s3')
    const aws = this.#serverless.getProvider('aws')
    const client = new S3Client(await aws.getAwsSdkV3Config())
    const Bucket = await aws.getServerlessDeploymentBucketName()
    const Key = ratesKeyOf(this.#folder, template)
    await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType: 'application/json' }))
  }
}
