/** The table and the key of an earlier stack: looks them up, and puts them into the template in place of new ones. */
import {
  DescribeTableCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
  ResourceNotFoundException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb'
import { DescribeKeyCommand, type KMSClient, NotFoundException } from '@aws-sdk/client-kms'
import type { Template } from '../service.ts'
import { replaceResource } from './replace-resource.ts'
import { SEALING_KEY, TABLE } from './template.ts'

export interface ExistingTable {
  name: string
  arn: string
  /** Undefined: it has no stream. */
  streamArn: string | undefined
  /** `ACTIVE`. */
  status: string
  indexes: string[]
  /** ARN of its stack's key, by its tag; undefined without the tag. */
  sealingKey: string | undefined
}

export interface ExistingKey {
  arn: string
  id: string
  /** `Enabled`. */
  state: string
}

/** A table by its name; undefined: there is none. */
export const findTable = async (dynamodb: DynamoDBClient, TableName: string): Promise<ExistingTable | undefined> => {
  let table: TableDescription | undefined
  try {
    table = (await dynamodb.send(new DescribeTableCommand({ TableName }))).Table
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
  const arn = table?.TableArn ?? ''
  const { Tags = [] } = await dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn: arn }))
  return {
    name: TableName,
    arn,
    streamArn: table?.StreamSpecification?.StreamEnabled ? table.LatestStreamArn : undefined,
    status: table?.TableStatus ?? '',
    indexes: (table?.GlobalSecondaryIndexes ?? []).map(({ IndexName = '' }) => IndexName),
    sealingKey: Tags.find(({ Key }) => Key === 'sealing-key')?.Value,
  }
}

/** A key by its ARN or id; undefined: there is none. */
export const findKey = async (kms: KMSClient, KeyId: string): Promise<ExistingKey | undefined> => {
  try {
    const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId }))
    return { arn: KeyMetadata?.Arn ?? '', id: KeyMetadata?.KeyId ?? '', state: KeyMetadata?.KeyState ?? '' }
  } catch (error) {
    if (error instanceof NotFoundException) return undefined
    throw error
  }
}

/** Changes the template: it creates neither table nor key, and uses these. */
export const useExisting = (template: Template, table: ExistingTable, keyArn: string): void => {
  const { name, arn, streamArn } = table
  const id = keyArn.slice(keyArn.lastIndexOf('/') + 1)
  replaceResource(template, TABLE, {
    ref: name,
    attributes: { Arn: arn, ...(streamArn !== undefined && { StreamArn: streamArn }) },
  })
  replaceResource(template, SEALING_KEY, { ref: id, attributes: { Arn: keyArn, KeyId: id } })
}
