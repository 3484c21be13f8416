"""Every command of the shell and the command line, in the order in which help shows them."""

from agentao.shell.commands import memory, memory_change, shell
from agentao.shell.table import CommandTable

TABLE = CommandTable(
    [
        memory.memory_list,
        memory.memory_search,
        memory.memory_show,
        memory.memory_tag,
        memory.memory_tags,
        memory.memory_user,
        memory.memory_project,
        shell.memory_help,
        memory_change.memory_add,
        memory_change.memory_delete,
        memory_change.memory_clear,
        shell.help_command,
        shell.exit_command,
    ],
    defaults={"memory": "memory list"},
)
