/** The CloudFormation template that is deployed, and which of its resources hold what must not be lost. */
import type { Resource } from '../service.ts'

/** What it holds of a resource that a deployment looks at. */
export interface TemplateResource extends Omit<Resource, 'DependsOn'> {
  DependsOn?: string | string[]
  DeletionPolicy?: string
}

export interface Template {
  Resources: Record<string, TemplateResource>
  Outputs?: Record<string, { Value: unknown }>
}

/** Ids in the template of what holds the tenants' data, and of the key that opens what is sealed in it. */
export const TABLE = 'Table'
export const SEALING_KEY = 'SealingKey'

/** Outputs that say what AWS knows them by. */
export const TABLE_OUTPUT = 'TableName'
export const KEY_OUTPUT = 'SealingKeyArn'

export const ofType = (template: Template, type: string): [id: string, resource: TemplateResource][] =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type)
