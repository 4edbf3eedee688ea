"""The queries that find definitions, imports, calls and bindings in the syntax tree of each language.

Belongs here: only tree-sitter queries; the names of captures are the kinds and fields of `mentions.Mention`. Not here:
their meaning. Guarantee: a test runs each of them; a language without one has no links of code.
"""

from collections.abc import Mapping

from headwater.domain.media_types import CodeMediaType

_PYTHON = """
(class_definition name: (identifier) @name superclasses: (argument_list)? @around) @class
(function_definition name: (identifier) @name return_type: (type)? @type) @function
(call function: (_) @callee)
(decorator [(identifier) (attribute)] @callee)
[(import_statement) (import_from_statement)] @import
(parameters [(identifier) (list_splat_pattern) (dictionary_splat_pattern)] @bind)
(parameters (typed_parameter . (_) @bind type: (type) @type))
(parameters (default_parameter name: (_) @bind))
(parameters (typed_default_parameter name: (_) @bind type: (type) @type))
(lambda_parameters (_) @bind)
(assignment left: (_) @bind type: (type)? @type right: (_)? @value)
(for_statement left: (_) @bind)
(for_in_clause left: (_) @bind)
(as_pattern_target) @bind
(named_expression name: (_) @bind)
(case_pattern) @bind
(delete_statement (_) @bind)
"""
_JAVASCRIPT = """
(class_declaration name: (_) @name) @class
[(function_declaration name: (_) @name) (generator_function_declaration name: (_) @name)] @function
(method_definition name: (_) @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
(call_expression function: (_) @callee)
(new_expression constructor: (_) @callee)
(import_statement) @import
(variable_declarator name: (_) @bind value: (_)? @value)
(arrow_function parameter: (identifier) @bind)
"""
_TYPESCRIPT = (
    _JAVASCRIPT
    + """
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(type_alias_declaration name: (_) @name) @class
(required_parameter pattern: (_) @bind)
(optional_parameter pattern: (_) @bind)
"""
)
_GO = """
(type_spec name: (_) @name) @class
(function_declaration name: (_) @name) @function
(method_declaration receiver: (parameter_list) @around name: (_) @name) @function
(call_expression function: (_) @callee)
(import_spec) @import
(parameter_declaration name: (identifier) @bind type: (_) @type)
(short_var_declaration left: (_) @bind)
(var_spec name: (identifier) @bind)
(range_clause left: (_) @bind)
"""
_JAVA = """
[(class_declaration name: (_) @name) (interface_declaration name: (_) @name) (enum_declaration name: (_) @name)
 (record_declaration name: (_) @name)] @class
[(method_declaration name: (_) @name) (constructor_declaration name: (_) @name)] @function
(method_invocation object: (_)? @around name: (_) @callee)
(object_creation_expression type: (_) @callee)
(import_declaration) @import
(package_declaration) @package
(formal_parameter type: (_) @type name: (_) @bind)
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @bind))
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @bind))
"""
_RUST = """
[(struct_item name: (_) @name) (enum_item name: (_) @name) (trait_item name: (_) @name) (union_item name: (_) @name)
 (type_item name: (_) @name) (mod_item name: (_) @name)] @class
(impl_item type: (_) @name) @impl
(function_item name: (_) @name) @function
(call_expression function: (_) @callee)
(use_declaration) @import
(parameter pattern: (_) @bind)
(let_declaration pattern: (_) @bind)
(closure_parameters (_) @bind)
"""
_C = """
(function_definition declarator: (function_declarator declarator: (_) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @function
(struct_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @class
(call_expression function: (_) @callee)
(preproc_include path: (_) @import)
(parameter_declaration declarator: (_) @bind)
(init_declarator declarator: (identifier) @bind)
(declaration declarator: (identifier) @bind)
"""
_CPP = (
    _C
    + """
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @impl
"""
)
QUERIES: Mapping[CodeMediaType, str] = {
    "text/x-python": _PYTHON,
    "text/javascript": _JAVASCRIPT + "(formal_parameters (_) @bind)",
    "text/x-typescript": _TYPESCRIPT,
    "text/x-tsx": _TYPESCRIPT,
    "text/x-go": _GO,
    "text/x-java": _JAVA,
    "text/x-rust": _RUST,
    "text/x-c": _C,
    "text/x-c++": _CPP,
}
"""By media type of code."""
