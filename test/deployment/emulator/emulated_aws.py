"""AWS for the deployment's checks: moto's server, with what moto lacks and a deployment depends on.

- A failed operation of CloudFormation is rolled back, and the stack is left in the state that CloudFormation leaves it in.
- `RetainExceptOnCreate` keeps a resource when its stack is deleted; moto knows `Retain` only.
- Lambda's GetAccountSettings says what a new account has.
- The document of a RestApi makes its methods, and no method needs an integration with a function.
- The policy of a key of CloudFormation can be read.
- A template is refused for errors of cfn-lint, and not for its warnings.

What a test wants to break, and the concurrency that the account has, stand in a file that EMULATED_AWS names, as JSON: `fails` is the id in
the template of a resource that can't be made, `concurrency` the number of functions at once.

moto 5.2.2: https://docs.getmoto.org
"""

import json
import os
import sys

from moto.apigateway.models import RestAPI, apigateway_backends
from moto.awslambda import urls as lambda_urls
from moto.awslambda.responses import LambdaResponse
from moto.cloudformation import models, parsing
from moto.kms.models import Key
from moto.server import main

SETTINGS = os.environ["EMULATED_AWS"]


def settings():
    with open(SETTINGS, encoding="utf8") as file:
        return json.load(file)


# A resource that can't be made.

make_resource = parsing.parse_and_create_resource


def make_or_fail(logical_id, *args, **kwargs):
    if logical_id == settings().get("fails"):
        raise RuntimeError(f"{logical_id} can't be made")
    return make_resource(logical_id, *args, **kwargs)


parsing.parse_and_create_resource = make_or_fail

# Policies of deletion.

delete_any = parsing.ResourceMap._delete_resource
delete_all = parsing.ResourceMap.delete


def delete_resource(resource_map, resource, resource_json):
    if resource_json["Type"] == "AWS::IAM::Role":
        # CloudFormation takes a role's policies off first.
        resource.policies.clear()
        resource.managed_policies.clear()
    delete_any(resource_map, resource, resource_json)


parsing.ResourceMap._delete_resource = delete_resource


def is_kept(resource_json):
    return resource_json.get("DeletionPolicy") in ("Retain", "RetainExceptOnCreate")


def delete_unless_kept(resource_map):
    kept = {k: v for k, v in resource_map._resource_json_map.items() if is_kept(v)}
    resource_map._resource_json_map = {
        k: v for k, v in resource_map._resource_json_map.items() if k not in kept
    }
    try:
        delete_all(resource_map)
    finally:
        resource_map._resource_json_map.update(kept)


parsing.ResourceMap.delete = delete_unless_kept

update_all = parsing.ResourceMap.update


def update_or_keep(resource_map, template, parameters=None):
    """One that leaves the template is deleted, unless its policy keeps it: moto deletes it in any case."""
    old = resource_map._resource_json_map
    gone = [name for name in old if name not in template["Resources"] and is_kept(old[name])]
    for name in gone:
        old.pop(name)
        resource_map._parsed_resources.pop(name, None)
    update_all(resource_map, template, parameters)


parsing.ResourceMap.update = update_or_keep

# An API that is made of a document.

make_api = RestAPI.create_from_cloudformation_json.__func__


def make_api_of_document(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
    api = make_api(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs)
    read_document(api, cloudformation_json, account_id, region_name)
    return api


def update_api(cls, original_resource, new_resource_name, cloudformation_json, account_id, region_name):
    read_document(original_resource, cloudformation_json, account_id, region_name)
    return original_resource


def read_document(api, cloudformation_json, account_id, region_name):
    document = cloudformation_json["Properties"].get("Body")
    if document is None:
        return
    for path in document["paths"].values():
        for method in path.values():
            integration = method.get("x-amazon-apigateway-integration", {})
            integration.setdefault("uri", "mock")
            integration.setdefault("httpMethod", "POST")
    document["info"].setdefault("description", "")
    backend = apigateway_backends[account_id][region_name]
    backend.put_rest_api(api.id, document, fail_on_warnings=True, mode="overwrite")


RestAPI.create_from_cloudformation_json = classmethod(make_api_of_document)
RestAPI.update_from_cloudformation_json = classmethod(update_api)

# A key's policy, which moto leaves as it is in the template and can't read then.

make_key = Key.create_from_cloudformation_json.__func__


def make_key_with_policy(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
    key = make_key(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs)
    if not isinstance(key.policy, str):
        key.policy = json.dumps(key.policy)
    return key


Key.create_from_cloudformation_json = classmethod(make_key_with_policy)

# Rollbacks.

update_stack = models.Stack.update
create_stack = models.Stack.create_resources


def make_nothing_of(stack, before):
    """What the failed operation has made is deleted, also what RetainExceptOnCreate would keep: this operation made it."""
    resource_map = stack.resource_map
    made = [name for name in resource_map._parsed_resources if name not in before]
    left = {
        name: resource_map._resource_json_map[name]
        for name in reversed(made)
        if name in resource_map._resource_json_map and resource_map._parsed_resources[name] is not None
    }
    for _ in range(len(left) + 1):
        for name in list(left):
            try:
                delete_resource(resource_map, resource_map._parsed_resources[name], left[name])
            except Exception:  # Something else has to go first.
                continue
            resource_map._parsed_resources.pop(name, None)
            left.pop(name)
    if left:
        raise RuntimeError(f"the rollback could not delete {sorted(left)}")


def failed(stack, error):
    event = models.Event(
        stack_id=stack.stack_id,
        stack_name=stack.name,
        logical_resource_id=settings().get("fails") or "unknown",
        physical_resource_id="",
        resource_type="AWS::CloudFormation::CustomResource",
        resource_status="CREATE_FAILED",
        resource_status_reason=str(error),
        resource_properties=None,
    )
    stack.events.append(event)


def update_or_roll_back(stack, template, role_arn=None, parameters=None, tags=None):
    before = set(stack.resource_map._parsed_resources)
    old_template = stack.template
    old_resources = dict(stack.resource_map._resource_json_map)
    try:
        update_stack(stack, template, role_arn, parameters, tags)
    except Exception as error:
        failed(stack, error)
        stack._add_stack_event("UPDATE_ROLLBACK_IN_PROGRESS", resource_status_reason=str(error))
        make_nothing_of(stack, before)
        stack.template = old_template
        stack._parse_template()
        # What was changed is changed back.
        changed = [name for name in old_resources if stack.resource_map._resource_json_map.get(name) != old_resources[name]]
        stack.resource_map._template = stack.template_dict
        stack.resource_map._resource_json_map = stack.template_dict["Resources"]
        for name in changed:
            if name in stack.resource_map._parsed_resources:
                stack.resource_map._parsed_resources[name] = parsing.parse_and_update_resource(
                    name,
                    stack.resource_map._resource_json_map[name],
                    stack.resource_map,
                    account_id=stack.account_id,
                    region_name=stack.region_name,
                )
        stack.output_map = stack._create_output_map()
        stack.status = "UPDATE_ROLLBACK_COMPLETE"
        stack._add_stack_event("UPDATE_ROLLBACK_COMPLETE")


def create_or_roll_back(stack):
    try:
        create_stack(stack)
    except Exception as error:
        failed(stack, error)
        stack._add_stack_event("ROLLBACK_IN_PROGRESS", resource_status_reason=str(error))
        make_nothing_of(stack, set())
        stack.status = "ROLLBACK_COMPLETE"
        stack._add_stack_event("ROLLBACK_COMPLETE")


models.Stack.update = update_or_roll_back
models.Stack.create_resources = create_or_roll_back

# Only errors of the linter.

lint = models.validate_template_cfn_lint
models.validate_template_cfn_lint = lambda template: [
    match for match in lint(template) if match.rule.id.startswith("E")
]

# What the account may run at once.


def get_account_settings(_response):
    concurrency = settings()["concurrency"]
    limit = {
        "ConcurrentExecutions": concurrency,
        "UnreservedConcurrentExecutions": concurrency,
        "TotalCodeSize": 80530636800,
        "CodeSizeZipped": 52428800,
        "CodeSizeUnzipped": 262144000,
    }
    return 200, {}, json.dumps({"AccountLimit": limit, "AccountUsage": {"FunctionCount": 0, "TotalCodeSize": 0}})


LambdaResponse.get_account_settings = get_account_settings
lambda_urls.url_paths[r"{0}/2016-08-19/account-settings/?$"] = LambdaResponse.dispatch

if __name__ == "__main__":
    main(sys.argv[1:])
