"""AWS for the deployment's checks: moto's server, with what moto lacks and a deployment depends on.

- A failed operation of CloudFormation is rolled back, which takes its time, and the stack is left in the state that CloudFormation
  leaves it in.
- `RetainExceptOnCreate` keeps a resource when its stack is deleted; moto knows `Retain` only.
- Lambda's GetAccountSettings says what a new account has.
- The document of a RestApi makes its methods, and no method needs an integration with a function (emulated_api.py).
- What a resource depends on is made before it.
- Drift is detected, and alarms are made (emulated_drift.py).
- What an update takes out of the stack is deleted when the update has succeeded.
- The policies of keys and roles of CloudFormation can be read.
- The table's stream hands its changes to no function.
- A template is refused for errors of cfn-lint, and not for its warnings.

What a test wants to break, and the concurrency that the account has, stand in a file that EMULATED_AWS names, as JSON: `fails` is the id in
the template of a resource that can't be made or changed, `rollback` the seconds after which a stack begins to roll back, `concurrency` the number of functions at once.

moto 5.2.2: https://docs.getmoto.org
"""

import json
import os
import sys
import threading

import emulated_api  # noqa: F401
import emulated_drift  # noqa: F401
from moto.awslambda import urls as lambda_urls
from moto.awslambda.models import LambdaBackend, LambdaFunction
from moto.awslambda.responses import LambdaResponse
from moto.cloudformation import models, parsing
from moto.cloudformation.exceptions import ValidationError
from moto.cloudformation.responses import CloudFormationResponse
from moto.core.utils import iso_8601_datetime_with_nanoseconds
from moto.iam.models import Role
from moto.kms.models import Key
from moto.server import main

SETTINGS = os.environ["EMULATED_AWS"]


def settings():
    with open(SETTINGS, encoding="utf8") as file:
        return json.load(file)


# A resource that can't be made or changed.

make_resource = parsing.parse_and_create_resource
change_resource = parsing.parse_and_update_resource
rolling_back = False


def make_or_fail(logical_id, resource_json, resources_map, *args, **kwargs):
    if logical_id == settings().get("fails"):
        raise RuntimeError(f"{logical_id} can't be made")
    depends_on = resource_json.get("DependsOn", [])
    for other in [depends_on] if isinstance(depends_on, str) else depends_on:
        resources_map[other]
    return make_resource(logical_id, resource_json, resources_map, *args, **kwargs)


def change_or_fail(logical_id, *args, **kwargs):
    if logical_id == settings().get("fails") and not rolling_back:
        raise RuntimeError(f"{logical_id} can't be changed")
    return change_resource(logical_id, *args, **kwargs)


parsing.parse_and_create_resource = make_or_fail
parsing.parse_and_update_resource = change_or_fail

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


def update_and_keep(resource_map, template, parameters=None):
    """moto deletes first what leaves the template; CloudFormation last, so that it is there for a rollback."""
    old = resource_map._resource_json_map
    gone = [name for name in old if name not in template["Resources"]]
    resource_map.gone = {name: (old.pop(name), resource_map._parsed_resources.pop(name, None)) for name in gone}
    update_all(resource_map, template, parameters)


def clean_up(resource_map):
    """Deletes what has left the template, unless its policy keeps it."""
    left = {name: one for name, one in resource_map.gone.items() if one[1] is not None and not is_kept(one[0])}
    for _ in range(len(left) + 1):
        for name, (resource_json, resource) in list(left.items()):
            try:
                delete_resource(resource_map, resource, resource_json)
            except Exception:  # Something else has to go first.
                continue
            left.pop(name)
    if left:
        raise RuntimeError(f"could not delete {sorted(left)}")


parsing.ResourceMap.update = update_and_keep

answer_update = CloudFormationResponse.update_stack


def update_unless_busy(response):
    stack = response.cloudformation_backend.get_stack(response._get_param("StackName"))
    if stack.status.endswith("_IN_PROGRESS"):
        raise ValidationError(message=f"Stack:{stack.stack_id} is in {stack.status} state and can not be updated.")
    return answer_update(response)


CloudFormationResponse.update_stack = update_unless_busy

# A key's policy, which moto leaves as it is in the template and can't read then.

make_key = Key.create_from_cloudformation_json.__func__


def make_key_with_policy(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs):
    key = make_key(cls, resource_name, cloudformation_json, account_id, region_name, **kwargs)
    if not isinstance(key.policy, str):
        key.policy = json.dumps(key.policy)
    return key


Key.create_from_cloudformation_json = classmethod(make_key_with_policy)

# A role's policies alike.

put_role_policy = Role.put_policy


def put_as_json(role, name, policy):
    put_role_policy(role, name, policy if isinstance(policy, str) else json.dumps(policy))


Role.put_policy = put_as_json

# Rollbacks.

update_stack = models.Stack.update
create_stack = models.Stack.create_resources


def make_nothing_of(resource_map, made):
    """Deletes what the failed operation has made, also what RetainExceptOnCreate would keep. `made`: its JSON, by its id."""
    left = {
        name: made[name]
        for name in reversed(made)
        if resource_map._parsed_resources.get(name) is not None
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


def made_since(resource_map, before):
    made = [name for name in resource_map._parsed_resources if name not in before]
    return {name: resource_map._resource_json_map[name] for name in made if name in resource_map._resource_json_map}


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


def roll_back_later(stack, name, error, roll_back):
    """The call that has failed is answered at once, and for as long as the rollback takes the stack says so."""
    stack.status = f"{name}_IN_PROGRESS"
    stack._add_stack_event(stack.status, resource_status_reason=str(error))

    def to_end():
        try:
            roll_back()
            stack.status = f"{name}_COMPLETE"
        except Exception:
            stack.status = f"{name}_FAILED"
            raise
        finally:
            stack._add_stack_event(stack.status)

    threading.Timer(settings().get("rollback", 0), to_end).start()


def update_or_roll_back(stack, template, role_arn=None, parameters=None, tags=None):
    before = set(stack.resource_map._parsed_resources)
    old_template = stack.template
    old_resources = dict(stack.resource_map._resource_json_map)
    stack.resource_map.gone = {}
    try:
        update_stack(stack, template, role_arn, parameters, tags)
    except Exception as error:
        failed(stack, error)

        def go_back_to_old():
            go_back(stack, old_template, old_resources, before)

        roll_back_later(stack, "UPDATE_ROLLBACK", error, go_back_to_old)
    else:
        clean_up(stack.resource_map)


def go_back(stack, old_template, old_resources, before):
    """What was changed is changed back, then what was made is deleted; what has left the template was not deleted yet."""
    global rolling_back
    rolling_back = True
    resource_map = stack.resource_map
    new_resources = resource_map._resource_json_map
    made = made_since(resource_map, before)
    stack.template = old_template
    stack._parse_template()
    resource_map._template = stack.template_dict
    resource_map._resource_json_map = stack.template_dict["Resources"]
    for name, (_, resource) in resource_map.gone.items():
        if resource is not None:
            resource_map._parsed_resources[name] = resource
    for name in [name for name in old_resources if name in before and new_resources.get(name) != old_resources[name]]:
        if name not in resource_map.gone:
            resource_map._parsed_resources[name] = parsing.parse_and_update_resource(
                name,
                resource_map._resource_json_map[name],
                resource_map,
                account_id=stack.account_id,
                region_name=stack.region_name,
            )
    make_nothing_of(resource_map, made)
    stack.output_map = stack._create_output_map()
    rolling_back = False


def create_or_roll_back(stack):
    try:
        create_stack(stack)
    except Exception as error:
        failed(stack, error)

        def delete_all_made():
            make_nothing_of(stack.resource_map, made_since(stack.resource_map, set()))

        roll_back_later(stack, "ROLLBACK", error, delete_all_made)


models.Stack.update = update_or_roll_back
models.Stack.create_resources = create_or_roll_back

# Only errors of the linter, which takes 8 s for a template: it checks each once, and none that differs from another one only in its texts.

lint = models.validate_template_cfn_lint
linted = {}


def without_texts(value):
    if isinstance(value, dict):
        return {name: without_texts(one) for name, one in value.items()}
    return [without_texts(one) for one in value] if isinstance(value, list) else type(value).__name__


def errors_of(template):
    shape = json.dumps(without_texts(json.loads(template)))
    if shape not in linted:
        linted[shape] = [match for match in lint(template) if match.rule.id.startswith("E")]
    return linted[shape]


models.validate_template_cfn_lint = errors_of

# When a function was last modified; moto has only its creation.

change_code = LambdaFunction.update_function_code


def change_code_now(function, updated_spec):
    answer = change_code(function, updated_spec)
    function.last_modified = iso_8601_datetime_with_nanoseconds()
    return answer


LambdaFunction.update_function_code = change_code_now

# The account's limit of concurrent executions.


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

# Functions run in the test's own processes, so the stream's changes are handed to none here. moto would refuse the write: it makes JSON of
# them, and can make none of bytes.

LambdaBackend.send_dynamodb_items = lambda _backend, _function, _items, _source: ""
lambda_urls.url_paths[r"{0}/2016-08-19/account-settings/?$"] = LambdaResponse.dispatch

if __name__ == "__main__":
    main(sys.argv[1:])
