/** Contracts of the service itself: the OpenAPI document and the health check. */
import * as v from 'valibot'
import { defineContract } from './contract.ts'

export const GetOpenApi = /* @__PURE__ */ defineContract(() => ({
  operationId: 'GetOpenApi',
  method: 'GET',
  path: '/openapi.json',
  summary: 'This document',
  security: 'none',
  responses: { 200: v.looseObject({ openapi: v.string(), paths: v.record(v.string(), v.unknown()) }) },
}))

export const GetHealth = /* @__PURE__ */ defineContract(() => ({
  operationId: 'GetHealth',
  method: 'GET',
  path: '/health',
  summary: 'Check that the service is available',
  description: 'HEAD does the same, without a body.',
  security: 'none',
  responses: { 200: v.strictObject({ status: v.literal('ok'), version: v.string() }) },
}))
