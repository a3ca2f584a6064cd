/** Reads the table and the key of an earlier stack, and puts them into the template in place of new ones. */
import {
  DescribeTableCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
  type ListTagsOfResourceCommandInput,
  ResourceNotFoundException,
  type Tag,
} from '@aws-sdk/client-dynamodb'
import { DescribeKeyCommand, type KMSClient, NotFoundException } from '@aws-sdk/client-kms'
import type { Template } from '../service.ts'
import { orNone } from './reading.ts'
import { replaceResource } from './replace-resource.ts'
import { SEALING_KEY, TABLE } from './template.ts'

export interface ExistingTable {
  name: string
  arn: string
  /** Undefined: it has no stream of new and old images. */
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
  const found = await orNone(ResourceNotFoundException, dynamodb.send(new DescribeTableCommand({ TableName })))
  if (found === undefined) return undefined
  const { Table: table } = found
  const arn = table?.TableArn ?? ''
  const { StreamEnabled, StreamViewType } = table?.StreamSpecification ?? {}
  const tags = await tagsOf(dynamodb, { ResourceArn: arn })
  return {
    name: TableName,
    arn,
    streamArn: StreamEnabled && StreamViewType === 'NEW_AND_OLD_IMAGES' ? table?.LatestStreamArn : undefined,
    status: table?.TableStatus ?? '',
    indexes: (table?.GlobalSecondaryIndexes ?? []).map(({ IndexName = '' }) => IndexName),
    sealingKey: tags.find(({ Key }) => Key === 'sealing-key')?.Value,
  }
}

/** All tags: a table may have several pages of them. */
const tagsOf = async (dynamodb: DynamoDBClient, of: ListTagsOfResourceCommandInput): Promise<Tag[]> => {
  const { Tags = [], NextToken } = await dynamodb.send(new ListTagsOfResourceCommand(of))
  return NextToken === undefined ? Tags : [...Tags, ...(await tagsOf(dynamodb, { ...of, NextToken }))]
}

/** A key by its ARN or id; undefined: there is none. */
export const findKey = async (kms: KMSClient, KeyId: string): Promise<ExistingKey | undefined> => {
  const found = await orNone(NotFoundException, kms.send(new DescribeKeyCommand({ KeyId })))
  if (found === undefined) return undefined
  const { Arn = '', KeyId: id = '', KeyState = '' } = found.KeyMetadata ?? {}
  return { arn: Arn, id, state: KeyState }
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
