/** Secrets of AnonCreds are nowhere in plain text: not in the table, its indexes, the stream, an event or an answer. */
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from '@aws-sdk/client-dynamodb-streams'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { acceptOffer, offerToTenant, secretsOf, storedBy } from '../support/anoncreds/tenant-holder.ts'
import { type AnonCredsWorld, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { CREDENTIALS, REGION } from '../support/table/dynamo.ts'
import { itemsOf, textsOf } from '../support/table/items.ts'
import { connectTenants } from '../support/tenants.ts'

let world: AnonCredsWorld
let shown: Json[]
let secrets: string[]

describeWithLibrary('the secrets of AnonCreds', () => {
  beforeAll(async () => {
    world = await startAnonCredsWorld({ embedded: true })
    const { stage, caller: issuer, credentialDefinitionId } = world
    const holder = await createTenant(stage, 'Holder')
    const { connectionId } = await connectTenants(stage, issuer, holder)
    const attributes = [
      { name: 'degree', value: 'Bachelor' },
      { name: 'age', value: '24' },
    ]
    const credentialFormats = { anoncreds: { credentialDefinitionId, attributes } }
    const { id, heldId } = await offerToTenant(stage, { issuer, holder, connectionId, credentialFormats })
    await acceptOffer(stage, holder, heldId)
    const path = { credentialRecordId: id }
    shown = [
      await storedBy(stage, holder, heldId),
      (await stage.call('getCredentialById', { caller: issuer, path })).body,
    ]
    await stage.line.pause()
    await stage.line.settle()
    secrets = await secretsOf({ ...issuer, credentialDefinitionId }, { ...holder, heldId })
  })
  afterAll(() => world.stop())

  const imagesOfStream = async (): Promise<string[]> => {
    const endpoint = process.env.DYNAMODB_ENDPOINT ?? ''
    const streams = new DynamoDBStreamsClient({ endpoint, region: REGION, credentials: CREDENTIALS })
    const { Streams = [] } = await streams.send(new ListStreamsCommand({ TableName: world.stage.table }))
    const StreamArn = Streams[0]?.StreamArn
    const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }))
    const ShardId = StreamDescription?.Shards?.[0]?.ShardId
    const first = await streams.send(
      new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' }),
    )
    const images: string[] = []
    for (let iterator = first.ShardIterator; iterator !== undefined; ) {
      const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator: iterator }))
      for (const { dynamodb: { NewImage = {}, OldImage = {} } = {} } of Records)
        images.push(textsOf(NewImage).join('\n'), textsOf(OldImage).join('\n'))
      iterator = Records.length === 0 ? undefined : NextShardIterator
    }
    streams.destroy()
    return images
  }

  /** Also texts that are encoded once more, as in a record that is a JSON string or in base64. */
  const holds = (haystack: string, secret: string): boolean =>
    [secret, ...[0, 1, 2].map((at) => base64At(secret, at))].some((text) => haystack.includes(text))

  /** The part of the text's base64 that is the same wherever it begins in a longer one. */
  const base64At = (text: string, offset: number): string =>
    Buffer.from(`${' '.repeat(offset)}${text}`)
      .toString('base64')
      .slice(4, -4)

  const whereIs = (places: string[]): string[] =>
    secrets.flatMap((secret, index) =>
      places.filter((place) => holds(place, secret)).map((place) => `${index}: ${place}`),
    )

  test('the secrets are long enough to be looked for', () => {
    expect(secrets).toHaveLength(4)
    for (const secret of secrets) expect(secret).toMatch(/^\d{70,}$/)
  })

  test('no item of the table holds one', async () => {
    const items = await itemsOf(world.stage, '')
    expect(items.length).toBeGreaterThan(20)
    expect(JSON.stringify(items)).toContain('sealed')
    const texts = items.map((item) => textsOf(item).join('\n'))
    expect(texts.join()).toContain('Bachelor')
    expect(whereIs(texts)).toEqual([])
  })

  test('no image of the stream holds one', async () => {
    const images = await imagesOfStream()
    expect(images.length).toBeGreaterThan(20)
    for (const known of ['AnonCredsLinkSecretRecord', 'Bachelor']) expect(images.join()).toContain(known)
    expect(whereIs(images)).toEqual([])
  })

  test('no answer holds one', () => {
    expect(shown.map(({ state }) => state)).toEqual(['done', expect.any(String)])
    expect(whereIs(shown.map((one) => JSON.stringify(one)))).toEqual([])
    for (const { metadata } of shown) expect(metadata).not.toHaveProperty('_anoncreds/credentialRequest')
  })
})
