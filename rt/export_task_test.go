package rt

// FirstTask sets the id of the first task. Before there is any.
func (rt *Runtime) FirstTask(id TaskID) { rt.tasks.first = uint64(id) }
